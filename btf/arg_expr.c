// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the syntax of expressions for arguments. Must not know what the expressions refer to.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse_error.h"
#include "base/util.h"
#include "btf/arg_expr.h"

static const char syntax[] = "write an argument such as 'skb->len', or a condition such as "
			     "'skb->len > 1000'";

/* The order matters: of two operators that begin alike, the longer comes first. */
static const struct {
	const char *text;
	enum arg_op op;
} ops[] = {
	{"==", ARG_EQ}, {"!=", ARG_NE}, {"<=", ARG_LE}, {">=", ARG_GE},
	{"<", ARG_LT},	{">", ARG_GT},	{"&", ARG_AND},
};

struct parser {
	struct arg_expr *e;
	size_t pos;
	struct parse_error *err;
};

static const char *rest(const struct parser *p)
{
	return p->e->spec + p->pos;
}

static void skip_blanks(struct parser *p)
{
	p->pos += strspn(rest(p), " \t");
}

static bool take(struct parser *p, const char *token)
{
	size_t len = strlen(token);

	if (strncmp(rest(p), token, len))
		return false;
	p->pos += len;
	return true;
}

/* Takes a C identifier. Returns a copy of it, or NULL if the text does not begin with an identifier. */
static char *take_name(struct parser *p)
{
	const char *s = rest(p);
	size_t len = 0;

	while (isalnum((unsigned char)s[len]) || s[len] == '_')
		len++;
	if (!len || isdigit((unsigned char)*s))
		return NULL;
	p->pos += len;
	return xstrndup(s, len);
}

/* Takes a decimal or hexadecimal number of 64 bits. */
static int take_number(struct parser *p, __u64 *value)
{
	const char *s = rest(p);
	bool hex = s[0] == '0' && (s[1] | 0x20) == 'x';
	char *end;

	if (!isdigit((unsigned char)*s))
		return parse_error__set(p->err, p->pos, 1, "no number");
	errno = 0;
	*value = strtoull(s, &end, hex ? 16 : 10);
	if (errno || isalnum((unsigned char)*end) || *end == '_' || (hex && end < s + 3))
		return parse_error__set(p->err, p->pos, strcspn(s, " ]") ?: 1,
					"no number of at most 64 bits");
	p->pos += end - s;
	return 0;
}

/* Parses the steps that follow the name of the argument. */
static int parse_steps(struct parser *p)
{
	struct arg_expr *e = p->e;

	for (;;) {
		struct arg_step *step = &e->step[e->step_cnt];
		size_t end = p->pos;
		bool index;
		int err;

		skip_blanks(p);
		index = take(p, "[");
		if (!index && !take(p, "->") && !take(p, ".")) {
			e->text = xstrndup(e->spec, end);
			return 0;
		}
		if (e->step_cnt == ARG_STEPS_MAX)
			return parse_error__set(p->err, p->pos, 1, "too many members: at most %d",
						ARG_STEPS_MAX);
		e->step_cnt++;
		skip_blanks(p);
		if (!index) {
			step->name = take_name(p);
			if (!step->name)
				return parse_error__set(p->err, p->pos, 1, "no name of a member");
			continue;
		}
		err = take_number(p, &step->index);
		if (err)
			return err;
		skip_blanks(p);
		if (!take(p, "]"))
			return parse_error__set(p->err, p->pos, 1, "no ']'");
	}
}

static int parse_operand(struct parser *p)
{
	struct arg_expr *e = p->e;
	size_t from;
	int err = 0;

	skip_blanks(p);
	from = p->pos;
	e->operand = take_name(p);
	if (e->operand)
		return 0;
	e->is_number = true;
	e->is_negative = take(p, "-");
	err = take_number(p, &e->number);
	if (err)
		return err;
	if (e->is_negative && e->number > 1ULL << 63)
		return parse_error__set(p->err, from, p->pos - from,
					"no number of at most 64 bits");
	if (e->is_negative)
		e->number = -e->number;
	e->operand = xstrndup(e->spec + from, p->pos - from);
	return 0;
}

static int parse_condition(struct parser *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(ops) && !p->e->op; i++)
		if (take(p, ops[i].text))
			p->e->op = ops[i].op;
	if (!p->e->op && !strcmp(rest(p), "-"))
		return parse_error__set(p->err, p->pos, 1,
					"no member: the shell takes '>' for itself unless the "
					"argument is in quotes, such as 'skb->len'");
	if (!p->e->op)
		return *rest(p) ? parse_error__set(p->err, p->pos, 1, "%s", syntax) : 0;
	return parse_operand(p);
}

int arg_expr__parse(struct arg_expr *e, const char *spec, struct parse_error *err)
{
	struct parser p = {.e = e, .err = err};
	size_t blanks = strspn(spec, " \t");
	int ret;

	*e = (struct arg_expr){.spec = xstrdup(spec + blanks)};
	e->root = take_name(&p);
	ret = e->root ? parse_steps(&p) ?: parse_condition(&p)
		      : parse_error__set(err, 0, 1, "no argument: %s", syntax);
	skip_blanks(&p);
	if (!ret && *rest(&p))
		ret = parse_error__set(err, p.pos, strlen(rest(&p)), "nothing may follow");
	if (ret && err)
		err->pos += blanks;
	if (ret)
		arg_expr__free(e);
	return ret;
}

void arg_expr__free(struct arg_expr *e)
{
	for (int i = 0; i < e->step_cnt; i++)
		free(e->step[i].name);
	free(e->spec);
	free(e->text);
	free(e->root);
	free(e->operand);
	*e = (struct arg_expr){};
}
