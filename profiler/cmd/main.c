// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The table of commands. main() runs the command that the arguments name and returns its exit
 * status.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "cmd/command.h"
#include "cmd/common/bench_args.h"
#include "cmd/common/log_stderr.h"
#include "cmd/common/system_args.h"
#include "kernel/log_libbpf.h"

static const struct command {
	const struct command_spec *spec;
	int (*run)(int argc, char **argv);
} commands[] = {
	{&stat_spec, cmd_stat},	    {&list_spec, cmd_list},	{&watch_spec, cmd_watch},
	{&trace_spec, cmd_trace},   {&record_spec, cmd_record}, {&annotate_spec, cmd_annotate},
	{&bench_spec, cmd_bench},   {&diff_spec, cmd_diff},	{&system_spec, cmd_system},
	{&doctor_spec, cmd_doctor},
};

static void print_usage(FILE *out)
{
	fprintf(out, "Usage: bprof [COMMAND] [OPTIONS]\n"
		     "       bprof --prog-id 42,57 -e cycles,instructions\n\n"
		     "Measures BPF programs that are loaded in the running kernel.\n\nCommands:\n");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "  %-8s %s\n", commands[i].spec->name, commands[i].spec->brief);
	fprintf(out, "\n"
		     "'bprof COMMAND --help' shows a command's options. Measuring needs root.\n");
}

static bool is_one_of(const char *arg, const char *a, const char *b)
{
	return !strcmp(arg, a) || !strcmp(arg, b);
}

/*
 * Opens /dev/null for each standard descriptor that is closed. Otherwise another file that bprof
 * opens could get this number, and messages and output would be written to that file.
 */
static bool open_standard_fds(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static int run_command(int argc, char **argv)
{
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (argc == 2 && is_one_of(argv[1], "--help", "-h")) {
		print_usage(stdout);
		return EXIT_DONE;
	}
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(argv[1], commands[i].spec->name))
			return commands[i].run(argc, argv);
	if (argv[1][0] == '-')
		return cmd_stat(argc, argv);
	log_err(0, "%s: no such command; 'bprof --help' lists them", argv[1]);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	int status;

	setlocale(LC_CTYPE, "");
	log__set_sink(log_stderr__sink());
	libbpf_print__take();
	if (!open_standard_fds()) {
		log_err(0, "/dev/null: %s", strerror(errno));
		return EXIT_FAILED;
	}
	status = run_command(argc, argv);
	if (!fflush(stdout) || status)
		return status;
	log_err(0, "standard output: %s", strerror(errno));
	return EXIT_FAILED;
}
