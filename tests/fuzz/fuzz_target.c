// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fuzzes the selection of targets: lists of ids, and the arguments of --name, --tag, --pinned, and
 * --type. "make fuzz" runs it.
 *
 * Input: a byte that chooses the selector, the selector's argument up to a NUL, then the program
 * that the selector is applied to: one byte for its type, 8 for its tag, and the rest for its name.
 * A program without a name has the functions of tests/unit/btf_blob.h. The name of the first
 * function is longer than a program's name can be.
 */
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parse_error.h"
#include "btf/func_table.h"
#include "btf/reason.h"
#include "options/idlist.h"
#include "target/target.h"
#include "tests/fuzz/require.h"
#include "tests/unit/btf_blob.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz);

static struct func_table *long_name;

/* The last message. */
static char *message;

static void keep_message(void *arg, enum log_level level, const char *text)
{
	free(message);
	message = strdup(text);
}

static const struct log_sink sink = {.write = keep_message, .max = LOG_LEVEL_DEBUG};

static void forget_message(void)
{
	free(message);
	message = NULL;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct reason reason;
	__u32 sz;
	void *btf = blob__new(&sz);

	require(btf && !func_table__new(btf, sz, blob_funcs, sizeof(blob_funcs[0]), BLOB_FN_CNT,
					&long_name, &reason));
	free(btf);
	log__set_sink(&sink);
	return 0;
}

/* ---- lists of ids (--prog-id) ---- */

/* Requires that a list is the same after it was written and parsed again. */
static void check_again(const struct idlist *list)
{
	struct idlist again = {};
	char *text = NULL;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);

	for (int i = 0; i < list->cnt; i++)
		fprintf(out, "%s%u%s%s", i ? "," : "", list->v[i].id, list->v[i].func ? ":" : "",
			list->v[i].func ?: "");
	fclose(out);
	require(!idlist__parse(&again, &idlist_programs, text, NULL));
	require(again.cnt == list->cnt);
	for (int i = 0; i < list->cnt; i++) {
		require(again.v[i].id == list->v[i].id);
		require(!strcmp(again.v[i].func ?: "", list->v[i].func ?: ""));
	}
	idlist__free(&again);
	free(text);
}

static void check_items(const struct idlist *list, const char *arg)
{
	int items = 1;

	for (const char *c = arg; *c; c++)
		items += *c == ',';
	require(list->cnt == items);
	for (int i = 0; i < list->cnt; i++) {
		const char *func = list->v[i].func;

		require(list->v[i].id);
		require(!func || *func);
		for (const char *c = func; c && *c; c++)
			require(*c > ' ' && *c < 0x7f && *c != ',');
		/* Only a label (btf/func_label.h) has colons, after the place's first character. */
		require(!func || strcspn(func, "@#") <= strcspn(func, ":"));
	}
}

/* Requires an error of three lines: the message, the argument, and the caret. */
static void check_error(const struct parse_error *err, const char *arg)
{
	require(err->pos <= strlen(arg) && err->len && *err->text);
	require(err->pos + err->len <= strlen(arg) || err->len == 1);
	require(!strchr(err->text, '\n'));
	parse_error__report(-EINVAL, "--prog-id", arg, err);
	require(message[strlen(message) - 1] == '^');
	forget_message();
}

/* Checks the argument as a list of ids. Returns the result of idlist__parse(). */
static int check_ids(const char *arg)
{
	struct parse_error err = {};
	struct idlist list = {}, more = {};
	int ret = idlist__parse(&list, &idlist_programs, arg, &err);

	require(ret == 0 || ret == -EINVAL);
	require(!idlist__parse(&more, &idlist_programs, "7:keep", NULL));
	require(idlist__parse(&more, &idlist_programs, arg, NULL) == ret);
	require(more.cnt == 1 + list.cnt && more.v[0].id == 7);
	if (ret) {
		require(!list.cnt && !list.v);
		check_error(&err, arg);
	} else {
		check_items(&list, arg);
		check_again(&list);
	}
	idlist__free(&list);
	idlist__free(&more);
	return ret;
}

/* ---- selectors (--name and others) ---- */

/* Calls selector_list__add(). If that fails, there must be a message and a position. */
static int add_selector(struct selector_list *list, enum selector_kind kind, const char *arg)
{
	struct parse_error perr = {};
	int err = selector_list__add(list, kind, arg, &perr);

	require(err == 0 || err == -EINVAL);
	require(list->cnt == !err);
	require(!message);
	if (err)
		require(*perr.text && perr.len && perr.pos <= strlen(arg));
	return err;
}

static bool is_tag_prefix(const char *arg, const char *tag)
{
	for (; *arg; arg++, tag++)
		if (tolower((unsigned char)*arg) != *tag)
			return false;
	return true;
}

/* Changes the type of the program to the first type that the selector names. */
static void check_types(const struct selector *s, struct prog *p)
{
	char *first = strndup(s->arg, strcspn(s->arg, ","));
	int type = prog_type__parse(first);

	require(type > 0);
	p->info.type = type;
	require(selector__matches(s, p));
	require(prog_type__parse(prog_type__name(type)) == type);
	free(first);
}

static void check_match(const struct selector *s, struct prog *p)
{
	bool match = selector__matches(s, p);
	char tag[17];

	switch (s->kind) {
	case SELECT_NAME:
		if (!strpbrk(s->arg, "*?[\\"))
			require(match ==
				(!strcmp(s->arg, p->info.name) || !strcmp(s->arg, prog__name(p))));
		if (!s->arg[strspn(s->arg, "*")])
			require(match);
		break;
	case SELECT_TAG:
		require(strlen(s->arg) <= 16);
		require(match == is_tag_prefix(s->arg, prog__tag(p, tag)));
		break;
	case SELECT_TYPE:
		check_types(s, p);
		break;
	case SELECT_ALL:
		require(match);
		break;
	default: /* these selectors name single programs; none is matched */
		break;
	}
}

static void fill_prog(struct prog *p, const uint8_t *data, size_t sz)
{
	if (sz)
		p->info.type = data[0];
	if (sz > 8)
		memcpy(p->info.tag, data + 1, 8);
	if (sz > 9) {
		memcpy(p->info.name, data + 9, sz - 9 < 15 ? sz - 9 : 15);
	} else {
		memcpy(p->info.name, BLOB_MAIN_NAME, 15);
		p->funcs = long_name;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz)
{
	enum selector_kind kind;
	struct selector_list list = {};
	struct prog p = {.fd = -1};
	char *arg;
	size_t len;
	int err;

	if (!sz)
		return 0;
	kind = data[0] % (SELECT_ALL + 1);
	len = strnlen((const char *)data + 1, sz - 1);
	arg = strndup((const char *)data + 1, len);
	if (1 + len < sz)
		fill_prog(&p, data + 2 + len, sz - 2 - len);
	else
		fill_prog(&p, NULL, 0);
	err = add_selector(&list, kind, kind == SELECT_ALL ? NULL : arg);
	require(check_ids(arg) == err || kind != SELECT_ID);
	if (!err)
		check_match(&list.v[0], &p);
	selector_list__free(&list);
	free(arg);
	return 0;
}
