// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Foreign strings in each syntax of output. Owns the decision which characters are harmful, and
 * their replacements. Must not know what a string means, or which document contains it.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/util.h"

/* How a syntax replaces the characters of a string. */
struct syntax {
	/*
	 * Returns the length of the character at s, which is not visible ASCII. Sets *harmless: whether the
	 * character can stay as it is. A byte that cannot be decoded is a harmful character.
	 */
	size_t (*decode)(const char *s, bool *harmless);
	/*
	 * Returns the replacement of a visible ASCII character or a blank; NULL: the character
	 * stays. The member may be NULL.
	 */
	const char *(*replace)(char c);
	const char *byte; /* printf format of a byte of a harmful character, such as "\\x%02x" */
	bool ascii;	  /* replace characters outside of ASCII by "&#xNN;", as in XML */
};

/* The most bytes that replace one byte: 6, in "&quot;". ("&#x80;" replaces two bytes.) */
enum { MAX_GROWTH = 6 };

/*
 * Returns true if c is no character at all, or is a format character of Unicode, which is invisible
 * or changes how other characters look (categories Cf, Zl, Zp, property
 * Default_Ignorable_Code_Point). Such characters can make one name look like another. iswprint()
 * accepts them.
 */
static bool is_invisible(wchar_t c)
{
	static const struct {
		wchar_t first, last;
	} invisible[] = {
		{0x00ad, 0x00ad},   {0x034f, 0x034f},	{0x0600, 0x0605},   {0x061c, 0x061c},
		{0x06dd, 0x06dd},   {0x070f, 0x070f},	{0x0890, 0x0891},   {0x08e2, 0x08e2},
		{0x115f, 0x1160},   {0x17b4, 0x17b5},	{0x180b, 0x180f},   {0x200b, 0x200f},
		{0x2028, 0x202e},   {0x2060, 0x206f},	{0x3164, 0x3164},   {0xfdd0, 0xfdef},
		{0xfe00, 0xfe0f},   {0xfeff, 0xfeff},	{0xffa0, 0xffa0},   {0xfff0, 0xfffb},
		{0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3},
		{0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
	};

	for (size_t i = 0; i < ARRAY_SIZE(invisible); i++)
		if (c >= invisible[i].first && c <= invisible[i].last)
			return true;
	return (c & 0xfffe) == 0xfffe;
}

/* Decodes a character of the locale. */
static size_t decode_local(const char *s, bool *harmless)
{
	mbstate_t state = {};
	wchar_t c;
	size_t len = mbrtowc(&c, s, strnlen(s, MB_CUR_MAX), &state);

	*harmless = len <= MB_CUR_MAX && !is_invisible(c) && iswprint(c) && wcwidth(c) >= 0;
	return len <= MB_CUR_MAX ? len : 1;
}

/* Returns the length of the character of UTF-8 at s, and sets *c; 0: no character begins there. */
static size_t decode_char(const char *s, wchar_t *c)
{
	static const wchar_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char first = *s;
	size_t len = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;

	*c = first & (len > 1 ? 0x7f >> len : 0x7f);
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (s[i] & 0x3f);
	}
	if (len == 1 ? first >= 0x80 : first >= 0xf8 || *c < least[len])
		return 0;
	return *c <= 0x10ffff && !(*c >= 0xd800 && *c <= 0xdfff) ? len : 0;
}

static size_t decode_utf8(const char *s, bool *harmless)
{
	wchar_t c;
	size_t len = decode_char(s, &c);

	*harmless = len > 1 && c > 0x9f && !is_invisible(c);
	return *harmless ? len : 1;
}

/* Decodes UTF-8. Any character of UTF-8 is harmless. */
static size_t decode_any(const char *s, bool *harmless)
{
	wchar_t c;
	size_t len = decode_char(s, &c);

	*harmless = len > 0;
	return len ?: 1;
}

/* Decodes ASCII only. No other character is harmless. */
static size_t decode_none(const char *s, bool *harmless)
{
	*harmless = false;
	return 1;
}

static char *escape(const char *s, const struct syntax *x)
{
	char *out, *p;
	wchar_t c;

	s = s ?: "";
	p = out = xmalloc(strlen(s) * MAX_GROWTH + 1);
	while (*s) {
		bool harmless = true;
		size_t len = text__is_plain(*s) ? 1 : x->decode(s, &harmless);
		const char *other = text__is_plain(*s) && x->replace ? x->replace(*s) : NULL;

		if (other)
			p = stpcpy(p, other);
		else if (text__is_plain(*s))
			*p++ = *s;
		else if (harmless && !x->ascii)
			p = mempcpy(p, s, len);
		else if (harmless && decode_char(s, &c))
			p += sprintf(p, "&#x%x;", (unsigned int)c);
		else
			for (size_t i = 0; i < len; i++)
				p += sprintf(p, x->byte, (unsigned char)s[i]);
		s += len;
	}
	*p = '\0';
	return out;
}

#define BYTE "\\x%02x"
#define DIGITS "0123456789"

static bool prints_utf8;

bool text__print_utf8(bool on)
{
	bool old = prints_utf8;

	prints_utf8 = on;
	return old;
}

char *text__printable(const char *s)
{
	return escape(s, &(struct syntax){.decode = prints_utf8 ? decode_utf8 : decode_local,
					  .byte = BYTE});
}

char *text__utf8(const char *s)
{
	return escape(s, &(struct syntax){.decode = decode_utf8, .byte = BYTE});
}

char *text__json(const char *s)
{
	return escape(s, &(struct syntax){.decode = decode_any, .byte = "\xef\xbf\xbd"});
}

size_t text__char(const char *s, bool *harmless)
{
	*harmless = text__is_plain(*s) || *s == '\n' || *s == '\t';
	return *harmless ? 1 : decode_local(s, harmless);
}

char *text__lines(const char *s)
{
	char *out, *p;

	p = out = xmalloc(strlen(s) + 1);
	while (*s) {
		bool harmless;
		size_t len = text__char(s, &harmless);

		if (harmless)
			p = mempcpy(p, s, len);
		else
			*p++ = '?';
		s += len;
	}
	*p = '\0';
	return out;
}

static const char *replace_backslash(char c)
{
	return c == '\\' ? "\\\\" : NULL;
}

/* Returns true if s is a number with a sign, such as "-1.5" or "-2.3e-06" (number__plain()). */
static bool is_signed_number(const char *s)
{
	const char *exponent;

	if (!strchr("+-", *s))
		return false;
	s += 1 + strspn(s + 1, DIGITS ".");
	if (*s != 'e')
		return !*s;
	exponent = s + 1 + (s[1] == '-' || s[1] == '+');
	return *exponent && !exponent[strspn(exponent, DIGITS)];
}

/*
 * Puts \xNN in place of the first character if s would be a formula in a spreadsheet. A number is no formula.
 */
static char *disarm_formula(char *s)
{
	char *out;

	if (!*s || !s[1] || !strchr("=+-@", *s) || is_signed_number(s))
		return s;
	out = xmalloc(strlen(s) + MAX_GROWTH);
	sprintf(out, BYTE "%s", (unsigned char)*s, s + 1);
	free(s);
	return out;
}

char *text__tsv(const char *s)
{
	return disarm_formula(escape(s, &(struct syntax){.decode = decode_utf8,
							 .replace = replace_backslash,
							 .byte = BYTE}));
}

char *text__csv(const char *s, const char *sep)
{
	char *field = disarm_formula(text__utf8(s)), *quoted, *p;

	if (!strstr(field, sep) && !strchr(field, '"'))
		return field;
	p = quoted = xmalloc(2 * strlen(field) + sizeof("\"\""));
	*p++ = '"';
	for (const char *c = field; *c; c++) {
		if (*c == '"')
			*p++ = '"';
		*p++ = *c;
	}
	strcpy(p, "\"");
	free(field);
	return quoted;
}

static const char *replace_markup(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

char *text__xml(const char *s)
{
	return escape(s, &(struct syntax){.decode = decode_utf8,
					  .replace = replace_markup,
					  .byte = BYTE,
					  .ascii = true});
}

static const char *replace_pipe(char c)
{
	return c == '|' ? "\\x7c" : NULL;
}

/* Returns the length of the longest run of backticks. */
static int count_ticks(const char *s)
{
	int max = 0, now = 0;

	for (; *s; s++) {
		now = *s == '`' ? now + 1 : 0;
		max = now > max ? now : max;
	}
	return max;
}

char *text__markdown(const char *s)
{
	char *code = escape(
		s, &(struct syntax){.decode = decode_utf8, .replace = replace_pipe, .byte = BYTE});
	const char *pad;
	char *out, *p;
	int ticks;

	if (!*code)
		return code;
	ticks = count_ticks(code) + 1;
	/*
	 * Add blanks that keep backticks and blanks in the name apart from the delimiters. Markdown
	 * removes one blank at each end of code.
	 */
	pad = ticks > 1 || *code == ' ' ? " " : "";
	p = out = xmalloc(strlen(code) + 2 * (ticks + strlen(pad)) + 1);
	memset(p, '`', ticks);
	p = stpcpy(stpcpy(stpcpy(p + ticks, pad), code), pad);
	memset(p, '`', ticks);
	p[ticks] = '\0';
	free(code);
	return out;
}

static const char *replace_in_label(char c)
{
	return c == '\\' ? "\\\\x5c" : c == '"' ? "\\\"" : NULL;
}

char *text__label(const char *s)
{
	return escape(s, &(struct syntax){.decode = decode_utf8,
					  .replace = replace_in_label,
					  .byte = "\\" BYTE});
}

static const char *replace_in_frame(char c)
{
	return c == ';' || c == ' ' ? "_" : NULL;
}

char *text__frame(const char *s)
{
	return escape(s, &(struct syntax){
				 .decode = decode_utf8, .replace = replace_in_frame, .byte = BYTE});
}

static const char *replace_in_name(char c)
{
	return c == ' ' ? "%20" : c == '/' ? "%2F" : c == '%' ? "%25" : NULL;
}

char *text__percent(const char *s)
{
	return escape(s, &(struct syntax){.decode = decode_none,
					  .replace = replace_in_name,
					  .byte = "%%%02X"});
}

void text__put(FILE *out, char *copy)
{
	fputs(copy, out);
	free(copy);
}
