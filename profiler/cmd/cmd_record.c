// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof record: samples where the targets spend their time, and writes the samples to a file. Owns
 * the options that only this command has; must not know how anything is sampled or shown.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/output.h"
#include "base/util.h"
#include "cmd/command.h"
#include "cmd/common/recording.h"

#define DEFAULT_FILE "bprof.record.json"

#define OPT(member) offsetof(struct record_opts, member)

const struct command_spec record_spec = {
	.name = "record",
	.brief = "sample where programs spend their time, into a file",
	.synopsis = "TARGETS [OPTIONS] [-- COMMAND [ARG...]]",
	.summary = "Samples where the targets spend their time, until COMMAND ends, until "
		   "--timeout, or until Ctrl-C. 'bprof annotate -i FILE' shows the recording, on "
		   "any machine. The file is " DEFAULT_FILE ", unless -o names another.",
	.operand = ARG_PROGRAM,
	.tables = {{"Targets", target_rows, OPT(targets)},
		   {"Samples", sample_rows},
		   {"CPUs and time", span_rows},
		   {"Output", output_rows}},
	.examples = "bprof record --prog-id 42 --timeout 10000\n"
		    "bprof record --name 'xdp_*' -e cpu-clock -F 9999 -o lb.json -- ./traffic",
	.exit_status = "0 done, 1 failed, 2 wrong usage, 4 nothing could be sampled. If COMMAND "
		       "fails, bprof exits with its status.",
};

static bool is_file(FILE *out, struct stat *st)
{
	return !fstat(fileno(out), st) && S_ISREG(st->st_mode);
}

/*
 * Opens the file without truncating it, so that an old recording stays until a new one is complete.
 * Only the owner may read the file, since JITed code contains kernel addresses: removes other
 * users' permissions from an existing file. Returns 0 or -errno (reported).
 */
static int open_private(const char *path, FILE **out)
{
	mode_t mask = umask(077);
	int err = output__open(path, true, out);
	struct stat st;

	umask(mask);
	if (err || !is_file(*out, &st) || !(st.st_mode & 077))
		return err;
	if (!fchmod(fileno(*out), st.st_mode & 0700))
		return 0;
	err = log_err(-errno,
		      "%s: cannot make the file private to its owner: %s; give another file", path,
		      strerror(errno));
	fclose(*out);
	return err;
}

static int write_record(const struct record *r, FILE *out, const char *path)
{
	struct stat st;
	int err = is_file(out, &st) && ftruncate(fileno(out), 0) ? -errno : record__write(r, out);

	if (err)
		return log_err(err, "%s: cannot write the recording: %s", path, strerror(-err));
	log_note("%s: %llu samples, %llu of them in the targets%s; 'bprof annotate -i %s' shows "
		 "them",
		 path, r->samples.taken, r->samples.in_targets,
		 r->samples.lost ? ", some lost" : "", path);
	return 0;
}

static int run_record(struct record_opts *o, char **argv, int *status)
{
	const char *path = o->measure.output.file ?: DEFAULT_FILE;
	struct record *r = NULL;
	FILE *out;
	int err = open_private(path, &out);

	if (err)
		return err;
	err = record__make(o, argv, &r, status);
	if (!err)
		err = write_record(r, out, path);
	record__free(r);
	return output__close(out, path, err);
}

int cmd_record(int argc, char **argv)
{
	struct record_opts o = {};
	int err, status, command_status = 0;

	err = options__parse(&record_spec, &o, argc, argv, &o.measure.loop.command)
		      ?: output_opts__apply(&o.measure.output);
	if (measure_opts__ends(&o.measure, err, &status))
		goto out;
	err = record_opts__check(&o);
	if (err)
		goto out;
	err = run_record(&o, argv, &command_status);
	status = err == -ENODATA ? EXIT_NOTHING : err ? EXIT_FAILED : command_status;
out:
	record_opts__free(&o);
	return status;
}
