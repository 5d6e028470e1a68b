// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Setup and checks for the groups contexts and contexts_tree.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/backend/fentry/contexts_case.h"

int setup_contexts(void **state)
{
	static const char *const modules[] = {"veth", "sch_ingress", "cls_bpf", "act_bpf"};

	if (!has_cpus(1))
		return -1;
	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++)
		if (!load_module(modules[i]))
			return -1;
	return 0;
}

/* Skips the test; the reason is the part of the message before the first ';' or newline. */
static void skip_because(const char *hook, const char *message)
{
	char text[256];

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(message, ";\n"), message);
	skip_test(hook, text);
}

void check_driven(const struct run *r, json_t *row, const char *hook)
{
	char name[64];
	const char *why;

	if (strcmp(str(row, "method"), "fentry")) {
		snprintf(name, sizeof(name), "%s: ", str(row, "name"));
		why = strstr(r->err, name);
		skip_because(hook, why ? why + strlen(name) : r->err);
	}
	if (strstr(r->err, "drive: attach: "))
		skip_because(hook, strstr(r->err, "attach: "));
	if (strstr(r->err, "drive: network: "))
		skip_because(hook, strstr(r->err, "network: "));
	assert_status(r, 0);
}
