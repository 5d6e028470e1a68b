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
#include "cmd/common/log_stderr.h"
#include "kernel/log_libbpf.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{"stat", cmd_stat, "measure what one invocation of a program costs (the default)"},
	{"system", cmd_system,
	 "count events of the system, processes or cgroups with shared counters"},
	{"list", cmd_list, "show the loaded programs and whether they can be measured"},
	{"watch", cmd_watch, "show programs as they are loaded and unloaded"},
	{"bench", cmd_bench, "run programs on given input and measure them; compare two versions"},
	{"trace", cmd_trace,
	 "record single invocations, such as slow ones or those that return XDP_DROP"},
	{"diff", cmd_diff, "compare two saved reports: what has become slower or more expensive"},
	{"record", cmd_record, "sample where programs spend their time, into a file"},
	{"annotate", cmd_annotate, "show where programs spend their time by line and instruction"},
	{"doctor", cmd_doctor, "show what works on this machine, and how to make the rest work"},
};

static void print_usage(FILE *out)
{
	fprintf(out, "Usage: bprof [COMMAND] [OPTIONS]\n"
		     "       bprof --prog-id 42,57 -e cycles,instructions\n\n"
		     "Measures BPF programs that are loaded in the running kernel.\n\nCommands:\n");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].help);
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
		if (!strcmp(argv[1], commands[i].name))
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
