// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Example of libbprof: a loader that measures its own XDP program. It loads the program with
 * libbpf, runs it 1,000 times by BPF_PROG_TEST_RUN while a session counts, and prints the minimum
 * and the mean cost of a run.
 *
 *   cc -o measure_xdp measure_xdp.c $(pkg-config --cflags --libs libbprof libbpf)
 *   sudo ./measure_xdp xdp.bpf.o xdp_lb cycles,instructions
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <bprof.h>
#include <stdio.h>

#define RUNS 1000

/* Prints bprof's warnings; the caller prints errors. */
static void print_message(void *arg, enum bprof_log_level level, const char *text)
{
	if (level != BPROF_LOG_ERROR)
		fprintf(stderr, "bprof: %s\n", text);
}

/* The loader's own work: loads one program of an object. */
static struct bpf_object *load(const char *path, const char *name, int *fd)
{
	struct bpf_object *obj = bpf_object__open_file(path, NULL);
	struct bpf_program *p, *wanted;

	if (!obj)
		return NULL;
	wanted = bpf_object__find_program_by_name(obj, name);
	bpf_object__for_each_program (p, obj)
		bpf_program__set_autoload(p, p == wanted);
	if (!wanted || bpf_object__load(obj)) {
		bpf_object__close(obj);
		return NULL;
	}
	*fd = bpf_program__fd(wanted);
	return obj;
}

static int run(int fd)
{
	char packet[64] = "";
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = sizeof(packet),
		    .repeat = RUNS);

	return bpf_prog_test_run_opts(fd, &opts);
}

static void print_report(const struct bprof_report *r)
{
	const struct bprof_program *p = bprof_report_program(r, 0);

	for (int i = 0; i < bprof_program_event_count(p); i++) {
		const struct bprof_event *ev = bprof_program_event(p, i);
		const char *unit = bprof_event_unit(ev); /* "ns", or "" for a count */
		const char *space = *unit ? " " : "";

		/*
		 * An interrupt in a run adds to the mean, but not to the minimum. A program that
		 * cannot be probed has no minimum (NaN).
		 */
		printf("%s: %s in a run: min %.0f%s%s, mean %.1f%s%s (%llu runs)\n",
		       bprof_program_func(p), bprof_event_name(ev), bprof_event_stat(ev, "min"),
		       space, unit, bprof_event_stat(ev, "mean"), space, unit,
		       (unsigned long long)bprof_event_measured(ev));
	}
	for (int i = 0; bprof_program_note(p, i); i++)
		printf("note: %s\n", bprof_program_note(p, i));
}

static int measure(struct bprof_session *s, int fd)
{
	struct bprof_report *report;
	int err = bprof_session_add_fd(s, fd, NULL);

	if (!err)
		err = bprof_session_open(s);
	if (!err)
		err = bprof_session_start(s);
	if (err)
		return err;
	if (run(fd))
		fprintf(stderr, "the program cannot be run\n");
	err = bprof_session_stop(s);
	if (!err)
		err = bprof_session_report(s, NULL, NULL, &report);
	if (err)
		return err;
	print_report(report);
	bprof_report_free(report);
	return 0;
}

int main(int argc, char **argv)
{
	struct bprof_session_opts opts = {.size = sizeof(opts), .log = print_message};
	struct bprof_session *s;
	struct bprof_error error;
	struct bpf_object *obj;
	int fd, err;

	if (argc < 3) {
		fprintf(stderr, "usage: measure_xdp OBJECT PROGRAM [EVENTS]\n");
		return 2;
	}
	obj = load(argv[1], argv[2], &fd);
	if (!obj) {
		fprintf(stderr, "%s: cannot be loaded\n", argv[1]);
		return 1;
	}
	opts.events = argv[3]; /* NULL means the default events */
	err = bprof_session_new(&opts, &s, &error);
	if (err) {
		fprintf(stderr, "measure_xdp: %s\n", error.text);
	} else {
		err = measure(s, fd);
		if (err)
			fprintf(stderr, "measure_xdp: %s\n", bprof_session_error(s)->text);
		bprof_session_free(s);
	}
	bpf_object__close(obj);
	return err ? 1 : 0;
}
