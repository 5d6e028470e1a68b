// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Example of a program that embeds bprof: starts it, reads each JSON document that it writes (one
 * without -I, one for each interval with it), and prints what a run of each program costs. It ends
 * with bprof's exit status.
 *
 *   cc -o costs costs.c $(pkg-config --cflags --libs jansson)
 *   sudo ./costs bprof --name 'xdp_*' -e time -j -I 1s
 */
#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Starts the command. Returns its output, or NULL. */
static FILE *start(char **argv, pid_t *pid)
{
	int fd[2];

	if (pipe(fd))
		return NULL;
	*pid = fork();
	if (!*pid) {
		dup2(fd[1], STDOUT_FILENO);
		close(fd[0]);
		close(fd[1]);
		execvp(argv[0], argv);
		perror(argv[0]);
		_exit(127);
	}
	close(fd[1]);
	return *pid > 0 ? fdopen(fd[0], "r") : NULL;
}

/* Reads the next document. Returns 1, 0 at the end of the output, or -1 if it is not JSON. */
static int read_document(FILE *in, json_t **doc)
{
	json_error_t error;
	int c;

	while (isspace(c = getc(in)))
		;
	if (c == EOF)
		return 0;
	ungetc(c, in);
	*doc = json_loadf(in, JSON_DISABLE_EOF_CHECK, &error);
	if (*doc)
		return 1;
	fprintf(stderr, "costs: %s\n", error.text);
	return -1;
}

static const char *text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key)) ?: "";
}

static void print_program(const json_t *program)
{
	const json_t *events = json_object_get(program, "events");

	printf("%s: %lld runs\n", text(program, "func"),
	       (long long)json_integer_value(json_object_get(program, "runs")));
	for (size_t i = 0; i < json_array_size(events); i++) {
		const json_t *event = json_array_get(events, i);
		const json_t *per_run = json_object_get(event, "per_run");
		const json_t *min = json_object_get(per_run, "min");
		const json_t *mean = json_object_get(per_run, "mean");

		/* A value that is not known is left out: no run, or the event cannot be counted. */
		printf("  %s:", text(event, "name"));
		if (min)
			printf(" min %.0f", json_number_value(min));
		if (mean)
			printf(" mean %.1f%s\n", json_number_value(mean), text(event, "unit"));
		else
			printf(" not measured\n");
	}
}

static void print_report(const json_t *report)
{
	const json_t *programs = json_object_get(report, "programs");
	const json_t *skipped = json_object_get(report, "skipped");

	for (size_t i = 0; i < json_array_size(programs); i++)
		print_program(json_array_get(programs, i));
	for (size_t i = 0; i < json_array_size(skipped); i++)
		printf("%s: not measured: %s\n", text(json_array_get(skipped, i), "name"),
		       text(json_array_get(skipped, i), "detail"));
	fflush(stdout);
}

int main(int argc, char **argv)
{
	json_t *report;
	pid_t pid;
	FILE *in;
	int status, more;

	if (argc < 2) {
		fprintf(stderr, "usage: costs bprof OPTIONS -j [-I TIME]\n");
		return 2;
	}
	in = start(argv + 1, &pid);
	if (!in) {
		perror("costs");
		return 1;
	}
	while ((more = read_document(in, &report)) > 0) {
		print_report(report);
		json_decref(report);
	}
	fclose(in);
	if (waitpid(pid, &status, 0) < 0 || !WIFEXITED(status) || more < 0)
		return 1;
	return WEXITSTATUS(status);
}
