// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Example of libbprof: compares two reports that 'bprof stat -r 10 --timeout 500 -j -o FILE' wrote.
 * It prints the programs and events that are worse or better, and exits with the status of 'bprof
 * diff'. It needs neither root nor a kernel with BPF.
 *
 *   cc -o compare_reports compare_reports.c $(pkg-config --cflags --libs libbprof)
 *   ./compare_reports base.json new.json 'instructions:p50>1%'
 */
#include <bprof.h>
#include <stdio.h>

static void print_change(const struct bprof_change *change)
{
	const struct bprof_program *p = bprof_change_new(change);

	if (!p)
		p = bprof_change_base(change);
	printf("%s: %s: %s of %s: %g -> %g (%+.1f%%)\n",
	       bprof_verdict_name(bprof_change_verdict(change)), bprof_program_func(p),
	       bprof_change_stat(change), bprof_change_event(change),
	       bprof_change_base_value(change), bprof_change_new_value(change),
	       100 * bprof_change_value(change, true));
}

/* Returns the exit status, or a negative errno. */
static int compare(const struct bprof_report *base, const struct bprof_report *new_report,
		   const struct bprof_rules *rules, struct bprof_error *error)
{
	struct bprof_compare_opts opts = {.size = sizeof(opts), .rules = rules};
	struct bprof_comparison *c;
	int status = bprof_compare(base, new_report, &opts, &c, error);

	if (status)
		return status;
	for (int i = 0; i < bprof_comparison_change_count(c); i++)
		if (bprof_change_verdict(bprof_comparison_change(c, i)) != BPROF_VERDICT_SAME)
			print_change(bprof_comparison_change(c, i));
	for (int i = 0; bprof_comparison_note(c, i); i++)
		printf("note: %s\n", bprof_comparison_note(c, i));
	printf("%s\n", bprof_comparison_headline(c));
	status = bprof_comparison_exit_status(c);
	bprof_comparison_free(c);
	return status;
}

int main(int argc, char **argv)
{
	struct bprof_report *base = NULL, *new_report = NULL;
	struct bprof_rules *rules = NULL;
	struct bprof_error error = {0};
	int status;

	if (argc < 3) {
		fprintf(stderr, "usage: compare_reports BASE NEW [LIMIT]...\n");
		return 2;
	}
	status = bprof_rules_new(&rules);
	for (int i = 3; i < argc && !status; i++)
		status = bprof_rules_add_limit(rules, argv[i], &error);
	if (!status)
		status = bprof_report_read_path(argv[1], &base, &error);
	if (!status)
		status = bprof_report_read_path(argv[2], &new_report, &error);
	if (!status)
		status = compare(base, new_report, rules, &error);
	if (status < 0)
		fprintf(stderr, "compare_reports: %s\n", error.text);
	bprof_report_free(base);
	bprof_report_free(new_report);
	bprof_rules_free(rules);
	return status < 0 ? 1 : status;
}
