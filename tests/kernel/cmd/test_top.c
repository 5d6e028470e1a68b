// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests bprof top in a terminal: what each key shows, and what happens when the terminal changes
 * its size or is closed, and when programs come and go.
 */
#include <glob.h>
#include <net/if.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "tests/kernel/cmd/terminal.h"
#include "tests/kernel/harness.h"

#define ESC "\033"
#define CHURN 300
#define RUNNING 20 /* number of programs that run, of many */

/*
 * Runs the program 1,000 times a second, until the test ends. If the program ran all the time, the
 * kernel's run statistics would use up --max-overhead, and no mean would be shown for a long time.
 */
static void keep_running(struct fixture *f, struct target t)
{
	command_start(f, "drive pace %u 10 10000 1000000000", t.id);
}

static void open_top(struct terminal *t, int rows, int cols, const char *options)
{
	char args[256];

	snprintf(args, sizeof(args), "top -e %s -I 200ms %s", machine_event(), options);
	terminal__open(t, rows, cols, args);
	terminal__await(t, "TOTAL  all BPF programs");
}

static void quit(struct terminal *t)
{
	terminal__type(t, "q");
	assert_int_equal(terminal__end(t), 0);
}

/* Types keys. Waits for a text that the keys show, and until another text has disappeared. */
static void press(struct terminal *t, const char *keys, const char *text, const char *gone)
{
	terminal__type(t, keys);
	if (text)
		terminal__await(t, text);
	if (gone)
		terminal__await_gone(t, gone);
}

static void test_list(void **state)
{
	struct fixture *f = *state;
	struct target tree = load_target(f, "tree", "xdp_tree");
	struct terminal t;

	load_target(f, "xdp", "xdp_pass");
	keep_running(f, tree);
	open_top(&t, 24, 120, "");
	terminal__await(&t, "xdp_tree");
	terminal__await(&t, machine_event());
	terminal__await(&t, "P99");
	terminal__await(&t, "probes add");
	assert_false(terminal__shows(&t, "xdp_pass"));
	press(&t, "i", "xdp_pass", NULL);
	press(&t, "i", NULL, "xdp_pass");
	press(&t, ">", "sorted by mean", NULL);
	press(&t, "<<", "sorted by runs/s", NULL);
	press(&t, "\\nothing", "no program matches", "xdp_tree");
	press(&t, ESC, "xdp_tree", "filter: ");
	press(&t, "\\tree\r", "filter 'tree'", NULL);
	press(&t, "\\", "filter: tree", NULL);
	press(&t, ESC, NULL, "filter: ");
	/* show idle programs, too: on a busy machine, xdp_tree may not run in an interval */
	press(&t, "i", "xdp_pass", NULL);
	press(&t, "/no such\r", "nothing found", NULL);
	press(&t, "/tree\r", NULL, "nothing found");
	press(&t, "i", NULL, "xdp_pass");
	press(&t, " ", "PAUSED", NULL);
	press(&t, " ", NULL, "PAUSED");
	press(&t, "+", "every 0.5 s", NULL);
	press(&t, "--", "every 0.1 s", NULL);
	press(&t, "b", "baseline", NULL);
	terminal__await(&t, "CHANGE");
	press(&t, "b", NULL, "CHANGE");
	press(&t, "jjkn", NULL, NULL);
	press(&t, "R", "sorted by runs/s of 0.5 s, reversed", NULL);
	press(&t, "s", "key s does nothing", NULL);
	press(&t, ESC "OP", "this key does nothing", NULL); /* F1 */
	terminal__resize(&t, 6, 50);
	terminal__await(&t, "needs 40x8 characters");
	quit(&t);
}

/* During the delay, the screen says so, and takes keys. */
static void test_delay(void **state)
{
	struct fixture *f = *state;
	struct target tree = load_target(f, "tree", "xdp_tree");
	struct terminal t;

	keep_running(f, tree);
	terminal__open(&t, 24, 80, "top -D 1000s");
	terminal__await(&t, "measuring begins in 1000 s");
	press(&t, "?", "keys of bprof top", NULL);
	press(&t, ESC, "measuring...", NULL);
	press(&t, "r", "wait for the end of the delay", NULL);
	press(&t, "b", "baseline", NULL);
	press(&t, "t", "wait for the first numbers", NULL);
	press(&t, "+-", NULL, NULL);
	quit(&t);
	terminal__open(&t, 24, 80, "top -D 2s");
	terminal__await(&t, "measuring begins in 2 s");
	terminal__await(&t, "xdp_tree");
	quit(&t);
}

/* New numbers come when the interval ends, however often pages are opened and closed meanwhile. */
static void test_pages_between(void **state)
{
	struct fixture *f = *state;
	struct target tree = load_target(f, "tree", "xdp_tree");
	char args[64];
	struct terminal t;

	keep_running(f, tree);
	snprintf(args, sizeof(args), "top -e %s -I 5s", machine_event());
	terminal__open(&t, 24, 80, args);
	terminal__await(&t, "measuring...");
	while (!terminal__shows(&t, "xdp_tree")) {
		press(&t, "m", "messages of bprof top", NULL);
		press(&t, ESC, NULL, "messages of bprof top");
	}
	quit(&t);
}

/* Messages from before the screen opened are on the screen, too. */
static void test_messages(void **state)
{
	struct fixture *f = *state;
	struct target tree = load_target(f, "tree", "xdp_tree");
	char options[64];
	struct terminal t;

	keep_running(f, tree);
	snprintf(options, sizeof(options), "--prog-id %u,77777", tree.id);
	open_top(&t, 24, 80, options);
	terminal__await(&t, "program 77777: is not loaded");
	press(&t, "m", "messages of bprof top", "TOTAL");
	assert_true(terminal__shows(&t, "program 77777: is not loaded"));
	press(&t, ESC, "TOTAL", "77777");
	quit(&t);
}

/*
 * A wide terminal shows where programs are attached, and what they cost in the last minutes. Each
 * run is measured, because a share that is estimated from few runs may be too uncertain to be
 * shown.
 */
static void test_attached(void **state)
{
	struct fixture *f = *state;
	struct target tree = load_target(f, "tree", "xdp_tree");
	int lo = if_nametoindex("lo");
	struct terminal t;

	assert_int_equal(bpf_xdp_attach(lo, tree.fd, 0, NULL), 0);
	keep_running(f, tree);
	open_top(&t, 24, 200, "--max-overhead 100%");
	terminal__await(&t, "xdp_tree");
	terminal__await(&t, "CPU% OF 2 MIN");
	terminal__await(&t, "ATTACHED");
	terminal__await(&t, "xdp lo generic");
	press(&t, "\r", "CPU% of the last 2 min, from 0 to ", NULL);
	terminal__await(&t, "P50 of ");
	terminal__await(&t, ", by interval, from 0 to ");
	quit(&t);
	assert_int_equal(bpf_xdp_detach(lo, 0, NULL), 0);
}

/* The files with the list are in the directory in which bprof was started. */
static void test_write(void **state)
{
	struct fixture *f = *state;
	struct target tree = load_target(f, "tree", "xdp_tree");
	struct terminal t;
	struct run *r;
	glob_t files;

	keep_running(f, tree);
	open_top(&t, 24, 120, "--idle");
	terminal__await(&t, "xdp_tree");
	press(&t, "o", "wrote bprof-top-", NULL);
	quit(&t);
	assert_int_equal(glob("bprof-top-*", 0, NULL, &files), 0);
	assert_int_equal(files.gl_pathc, 2); /* .html, .json */
	for (size_t i = 0; i < files.gl_pathc; i++) {
		r = bprof(f, "report %s", files.gl_pathv[i]);
		assert_status(r, 0);
		assert_contains(r->out, "xdp_tree");
		unlink(files.gl_pathv[i]);
	}
	globfree(&files);
}

/* In another user's directory, bprof cannot write: it has dropped the capability for this. */
static void test_write_refused(void **state)
{
	static const char dir[] = "/tmp/bprof-top-other";
	struct fixture *f = *state;
	char line[256];
	struct terminal t;

	mkdir("/tmp", 0777);
	assert_int_equal(mkdir(dir, 0755), 0);
	assert_int_equal(chown(dir, 1000, 1000), 0);
	keep_running(f, load_target(f, "tree", "xdp_tree"));
	snprintf(line, sizeof(line), "cd %s && exec bprof top -e %s -I 200ms", dir,
		 machine_event());
	terminal__open_shell(&t, 24, 120, "xterm", line);
	terminal__await(&t, "xdp_tree");
	press(&t, "o", "cannot write bprof-top-", NULL);
	press(&t, "m", "Permission denied", NULL);
	quit(&t);
	assert_int_equal(rmdir(dir), 0); /* it is empty */
}

static void set_sysctl(const char *path, const char *value)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(value, file);
	assert_int_equal(fclose(file), 0);
}

/*
 * Sets how many samples the kernel allows per second. Otherwise, the kernel would sample less and
 * less often if a sample takes long, as in a VM.
 */
static void allow_samples(const char *per_second)
{
	set_sysctl("/proc/sys/kernel/perf_cpu_time_max_percent", "25");
	set_sysctl("/proc/sys/kernel/perf_event_max_sample_rate", per_second);
	/* with 0, the kernel does not lower the limit by itself */
	set_sysctl("/proc/sys/kernel/perf_cpu_time_max_percent", "0");
}

/* Waits until the line with the duration of a page's measurement has changed. */
static void await_interval(struct terminal *t)
{
	char line[TERMINAL_COLS + 1];

	terminal__await(t, " s on ");
	snprintf(line, sizeof(line), "%.*s", t->cols, t->cell[2]);
	assert_non_null(strstr(line, " s on "));
	terminal__await_gone(t, line);
}

/*
 * Another program of the list calls the same functions, so a note says that the numbers include its
 * calls.
 */
static void test_calls(void **state)
{
	struct fixture *f = *state;
	struct target measured = load_target(f, "helpers", "xdp_helpers");
	struct target other = load_target(f, "helpers", "xdp_maps");
	struct terminal t;

	/* on the CPU that is measured */
	command_start(f, "taskset -c 0 drive pace %u 10 10000 1000000000", measured.id);
	command_start(f, "taskset -c 0 drive pace %u 10 10000 1000000000", other.id);
	/*
	 * With one CPU, the whole page fits on the screen. With a limit, functions that xdp_maps
	 * also calls might be left out.
	 */
	open_top(&t, TERMINAL_ROWS, 150, "--idle -C 0 --max-overhead 100%");
	terminal__await(&t, "xdp_maps");
	press(&t, "/xdp_helpers\r", NULL, "nothing found");
	press(&t, "c", "and what they call", NULL);
	if (kernel_is("6.1") && arch_is("aarch64")) {
		terminal__await(&t, "attaches no probes to its own functions");
		quit(&t);
		return;
	}
	terminal__await(&t, "htab_map_update_elem (flows)");
	await_interval(&t);
	press(&t, ESC, "TOTAL", "htab_map_update_elem");
	press(&t, "/xdp_maps\r", NULL, "nothing found");
	press(&t, "\r", "attached", NULL);
	terminal__await(&t, "this bprof (pid ");
	quit(&t);
}

static void test_pages(void **state)
{
	struct fixture *f = *state;
	struct target tree = load_target(f, "tree", "xdp_tree");
	struct terminal t;

	allow_samples("500"); /* fewer samples than bprof takes otherwise */
	keep_running(f, tree);
	open_top(&t, 50, 150, "-I 1s");
	terminal__await(&t, "xdp_tree");
	press(&t, "?", "keys of bprof top", "TOTAL");
	press(&t, ESC, "TOTAL", NULL);
	/* bytes that are no characters, together with a key */
	press(&t, "\xff\xc3?", "keys of bprof top", "TOTAL");
	press(&t, ESC, "TOTAL", NULL);
	terminal__await(&t, "xdp_tree");
	press(&t, "\r", "attached", "TOTAL");
	terminal__await(&t, "xdp_tree (xdp, tag ");
	terminal__await(&t, "held by");
	terminal__await(&t, "sums (array)");
	press(&t, ESC, "xdp_tree", "held by");
	press(&t, "t", "functions of program", NULL);
	terminal__await(&t, "leaf");
	terminal__await(&t, "empty_0");
	/*
	 * Meanwhile, the probe with which the list measures the program is detached. After an
	 * interval without this probe, the list still has the program's row, and keys work on the
	 * row.
	 */
	await_interval(&t);
	press(&t, " ", "PAUSED", NULL);
	press(&t, ESC, "TOTAL", "leaf");
	press(&t, "a", "code of program", NULL);
	press(&t, " ", NULL, "PAUSED");
	terminal__await(&t, "samples");
	press(&t, ESC, "TOTAL", "samples");
	terminal__await(&t, "xdp_tree");
	/* from one page to another; then end bprof while a page is open */
	press(&t, "ta", "code of program", NULL);
	press(&t, "t", "functions of program", NULL);
	quit(&t);
}

static void test_resize(void **state)
{
	struct fixture *f = *state;
	struct target alu = load_target(f, "alu", "xdp_alu_0");
	struct terminal t;

	keep_running(f, alu);
	open_top(&t, 24, 80, "");
	for (int i = 0; i < 300; i++) {
		terminal__resize(&t, i * 7 % TERMINAL_ROWS + 1, i * 13 % TERMINAL_COLS + 1);
		if (i % 10 == 0)
			terminal__type(&t, "?" ESC);
		terminal__drain(&t);
	}
	/* after a key, the whole screen is drawn in the last size */
	terminal__resize(&t, 40, 120);
	terminal__await(&t, "TOTAL  all BPF programs");
	terminal__await(&t, "xdp_alu_0");
	quit(&t);
}

/* All keys except q, and bytes that are no key. */
static const char *const walk_keys[] = {
	"?",
	"h",
	"\r",
	"t",
	"a",
	ESC,
	"<",
	">",
	"\\",
	"/",
	"n",
	" ",
	"+",
	"-",
	"=",
	"b",
	"r",
	"i",
	"R",
	"m",
	"f",
	"f   jj ",
	ESC "[<0;5;8M",
	ESC "[<0;40;6M",
	ESC "[<65;5;8M",
	ESC "[<64;5;8M",
	"o",
	"j",
	"k",
	ESC "[A",
	ESC "[B",
	ESC "[5~",
	ESC "[6~",
	ESC "[1~",
	"jjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjj",
	"\x7f",
	"\b",
	"x",
	"\xc3\xa4",
	"\xff",
	"\x01",
	ESC "[99~",
	"\t",
};

/* Waits until bprof has taken all keys. */
static void catch_up(struct terminal *t)
{
	terminal__resize(t, 24, 80);
	terminal__type(t, ESC);
	usleep(100000); /* otherwise bprof would take both for one key of a keyboard */
	terminal__type(t, ESC);
	usleep(100000);
	press(t, "?", "keys of bprof top", NULL);
	press(t, ESC, NULL, "keys of bprof top");
}

static void click_text(struct terminal *t, const char *text)
{
	int x, y;

	terminal__await(t, text); /* the head of the screen comes before the rows */
	terminal__find(t, text, &x, &y);
	terminal__click(t, 0, x, y);
}

/* Reads what has arrived, and returns true if one row is now above another one. */
static bool is_above(struct terminal *t, const char *above, const char *below)
{
	int x, y = 0, y_below = 0;

	terminal__drain(t);
	if (!terminal__shows(t, above) || !terminal__shows(t, below))
		return false;
	terminal__find(t, above, &x, &y);
	terminal__find(t, below, &x, &y_below);
	return y < y_below;
}

static void test_mouse(void **state)
{
	struct fixture *f = *state;
	struct target tree = load_target(f, "tree", "xdp_tree");
	char line[256], title[64];
	struct terminal t;

	load_target(f, "xdp", "xdp_pass");
	snprintf(line, sizeof(line), "exec bprof top --idle -e %s -I 200ms", machine_event());
	terminal__open_shell(&t, 24, 120, "xterm", line);
	terminal__await(&t, "xdp_tree");
	click_text(&t, "RUNS/S");
	terminal__await(&t, "sorted by runs/s");
	click_text(&t, "RUNS/S");
	terminal__await(&t, "reversed");
	click_text(&t, "NAME");
	terminal__await(&t, "sorted by name;");
	AWAIT(is_above(&t, "xdp_pass", "xdp_tree")); /* the line above comes before the rows */
	click_text(&t, "xdp_tree");
	snprintf(title, sizeof(title), "program %u", tree.id);
	press(&t, "\r", title, NULL);
	press(&t, ESC, "TOTAL", title);
	press(&t, "?", "(line 1 of", NULL);
	terminal__click(&t, 65, 3, 3);
	terminal__await(&t, "(line 4 of");
	terminal__click(&t, 64, 3, 3);
	terminal__await(&t, "(line 1 of");
	press(&t, ESC, "TOTAL", NULL);
	quit(&t);
}

/* Runs bprof top with its file of columns below this directory. */
static void open_remembering(struct terminal *t, const char *home, const char *options)
{
	char line[256];

	snprintf(line, sizeof(line),
		 "unset XDG_CONFIG_HOME; HOME=%s exec bprof top --idle -e %s %s", home,
		 machine_event(), options);
	terminal__open_shell(t, 24, 120, "xterm", line);
	terminal__await(t, "xdp_tree");
}

/* The key f saves the columns, --columns does not. A broken file is only reported. */
static void test_columns(void **state)
{
	static const char home[] = "/tmp/bprof-top-home",
			  file[] = "/tmp/bprof-top-home/.config/bprof/top";
	struct fixture *f = *state;
	struct terminal t;
	struct stat st;

	mkdir("/tmp", 0777);
	mkdir(home, 0700);
	load_target(f, "tree", "xdp_tree");
	open_remembering(&t, home, "--columns id,name");
	terminal__await_gone(&t, "RUNS/S");
	quit(&t);
	open_remembering(&t, home, "");
	assert_true(terminal__shows(&t, "RUNS/S"));
	press(&t, "f", "[x] runs/s", NULL);
	click_text(&t, "[x] runs/s");
	terminal__await(&t, "[ ] runs/s");
	press(&t, ESC, "TOTAL", NULL);
	terminal__await_gone(&t, "RUNS/S");
	quit(&t);
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 077, 0);
	open_remembering(&t, home, "");
	assert_false(terminal__shows(&t, "RUNS/S"));
	quit(&t);
	/* the output of --batch does not depend on the saved columns */
	assert_contains(bprof(f, "top --batch -n 1 -I 100ms --idle -e %s", machine_event())->out,
			"RUNS/S");
	assert_contains(
		bprof(f, "top --batch -n 2 -I 100ms --idle -e %s -x, --header", machine_event())
			->out,
		"time,value,unit,event,");
	set_sysctl(file, "columns=id,nme");
	open_remembering(&t, home, "");
	terminal__await(&t, "bprof/top: there is");
	assert_true(terminal__shows(&t, "RUNS/S"));
	quit(&t);
	/* another user's file is not read */
	assert_int_equal(chown(file, 1000, 1000), 0);
	open_remembering(&t, home, "");
	terminal__await(&t, "belongs to another user");
	quit(&t);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(mkfifo(file, 0600), 0);
	open_remembering(&t, home, "");
	terminal__await(&t, "no regular file");
	quit(&t);
	unlink(file);
	assert_status(bprof(f, "top --columns id,nme"), 2);
}

/* Sends random keys and sizes. The terminal may show anything, but bprof must not end. */
static void test_walk(void **state)
{
	const int cnt = sizeof(walk_keys) / sizeof(walk_keys[0]);
	struct fixture *f = *state;
	struct terminal t;

	allow_samples("4000");
	keep_running(f, load_target(f, "tree", "xdp_tree"));
	keep_running(f, load_target(f, "retval", "xdp_two"));
	srand(1);
	open_top(&t, 24, 80, "");
	for (int i = 0; i < 3 * cnt; i++) {
		terminal__type(&t, walk_keys[i < cnt ? i : rand() % cnt]);
		if (rand() % 4 == 0)
			terminal__resize(&t, rand() % TERMINAL_ROWS + 1,
					 rand() % TERMINAL_COLS + 1);
		usleep(rand() % 3 * 20000);
		terminal__drain(&t);
		if (i % 8 == 7)
			catch_up(&t);
	}
	catch_up(&t);
	quit(&t);
}

static void test_end(void **state)
{
	static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
	struct terminal t;

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		open_top(&t, 24, 80, "");
		assert_int_equal(kill(t.pid, signals[i]), 0);
		assert_int_equal(terminal__end(&t), 0);
	}
	/* the terminal is closed */
	open_top(&t, 24, 80, "");
	assert_int_equal(terminal__close(&t), 0);
	open_top(&t, 24, 80, "--timeout 500");
	assert_int_equal(terminal__end(&t), 0);
	open_top(&t, 24, 80, "-n 3");
	assert_int_equal(terminal__end(&t), 0);
}

/* Opens bprof top in a terminal that has an alternate screen and can hide its cursor. */
static void open_xterm(struct terminal *t)
{
	char line[128];

	snprintf(line, sizeof(line), "exec bprof top -e %s", machine_event());
	terminal__open_shell(t, 24, 80, "xterm", line);
	terminal__await(t, "TOTAL  all BPF programs");
	assert_true(t->alternate && t->hidden && t->keypad && t->mouse);
}

/* If a signal kills bprof, the terminal is as it was before, except with SIGKILL. */
static void test_killed(void **state)
{
	static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGQUIT, SIGUSR1, SIGALRM};
	struct terminal t;

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		open_xterm(&t);
		assert_int_equal(kill(t.pid, signals[i]), 0);
		assert_int_equal(terminal__end(&t), 128 + signals[i]);
	}
	open_xterm(&t);
	quit(&t);
	open_xterm(&t);
	terminal__type(&t, "\x03"); /* Ctrl-C */
	assert_int_equal(terminal__end(&t), 0);
	open_xterm(&t);
	terminal__type(&t, "\x1c"); /* Ctrl-\ */
	assert_int_equal(terminal__end(&t), 128 + SIGQUIT);
}

/* Ctrl-Z restores the terminal for the shell until "fg". */
static void test_stop(void **state)
{
	char line[256];
	struct terminal t;

	snprintf(line, sizeof(line),
		 "set -m; bprof top -e %s; echo STOPPED; read x; fg; echo STATUS $?; read x",
		 machine_event());
	terminal__open_shell(&t, 24, 80, "xterm", line);
	terminal__await(&t, "TOTAL  all BPF programs");
	for (int i = 0; i < 2; i++) {
		terminal__type(&t, "\x1a");
		terminal__await(&t, i ? "STATUS" : "STOPPED");
		terminal__check_modes(&t);
		if (i)
			break;
		terminal__resize(&t, 30, 100);
		terminal__type(&t, "\r");
		terminal__await(&t, "TOTAL  all BPF programs");
		terminal__await(&t, "Space pause"); /* this text fits only the new width */
		assert_true(t.alternate && t.hidden && t.mouse);
	}
	terminal__type(&t, "\r");
	assert_int_equal(terminal__end(&t), 0);
}

static int load_named(const char *name)
{
	static const struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_PASS},
		{.code = BPF_JMP | BPF_EXIT},
	};

	return bpf_prog_load(BPF_PROG_TYPE_XDP, name, "GPL", insns, 2, NULL);
}

/* Programs come and go by the hundred while a page about one program is open. */
static void test_churn(void **state)
{
	struct fixture *f = *state;
	struct target alu = load_target(f, "alu", "xdp_alu_0");
	struct terminal t;

	keep_running(f, alu);
	open_top(&t, 24, 80, "--idle");
	terminal__await(&t, "xdp_alu_0");
	for (int i = 0; i < CHURN; i++) {
		int fd = load_named("top_churn");

		assert_true(fd >= 0);
		if (i % 50 == 25)
			terminal__type(&t, "j\r");
		if (i % 50 == 45)
			terminal__type(&t, ESC);
		terminal__drain(&t);
		close(fd);
	}
	terminal__type(&t, ESC);
	terminal__await(&t, "TOTAL  all BPF programs");
	terminal__await(&t, "xdp_alu_0");
	terminal__await_gone(&t, "top_churn");
	quit(&t);
}

/* While bprof top shows other programs, loads a hundred programs, and unloads them. */
static void churn_hundred(struct terminal *t)
{
	int fd[100];

	for (int i = 0; i < 100; i++) {
		fd[i] = load_named("top_churn");
		assert_true(fd[i] >= 0);
		if (i % 20 == 0)
			terminal__type(t, "j");
		terminal__drain(t);
	}
	terminal__await(t, "600 programs: ");
	for (int i = 0; i < 100; i++)
		close(fd[i]);
	terminal__await(t, "500 programs: ");
}

/*
 * Five hundred programs have probes. Twenty of them run, while other programs are loaded and
 * unloaded. teardown() checks that bprof has detached all of them.
 */
static void test_many(void **state)
{
	struct fixture *f = *state;
	struct target running[RUNNING], other;
	char ids[16 * RUNNING] = "";
	struct terminal t;

	load_every(f, running, RUNNING);
	for (int i = 0; i < RUNNING; i++)
		sprintf(ids + strlen(ids), " %u:20", running[i].id);
	command_start(f, "sh -c 'while drive testrun%s; do :; done'", ids);
	/* All of the twenty run in each interval of this length. */
	open_top(&t, 40, 120, "-I 2s");
	terminal__await(&t, "500 programs: 20 running, 480 idle");
	terminal__await(&t, "xdp_many_000");
	terminal__await(&t, "xdp_many_475");
	assert_false(terminal__shows(&t, "xdp_many_001"));
	churn_hundred(&t);
	/*
	 * A probe keeps its program loaded. It may take minutes until bprof notices that the owner
	 * has released the program.
	 */
	other = load_target(f, "tree", "xdp_tree");
	terminal__await(&t, "501 programs: ");
	unload(f, other);
	terminal__await(&t, "xdp_many_475");
	quit(&t);
}

static int count(const char *text, const char *part)
{
	int cnt = 0;

	while ((text = strstr(text, part))) {
		cnt++;
		text += strlen(part);
	}
	return cnt;
}

static void assert_times(const char *text, const char *part, int cnt)
{
	if (count(text, part) == cnt)
		return;
	print_message("'%s' is not there %d times:\n%s", part, cnt, text);
	fail();
}

static void test_batch(void **state)
{
	struct fixture *f = *state;
	struct target alu = load_target(f, "alu", "xdp_alu_0");
	struct run *r;

	keep_running(f, alu);
	r = bprof(f, "top --batch -n 3 -I 500ms -e %s", machine_event());
	assert_int_equal(r->status, 0);
	assert_times(r->out, "TOTAL  all BPF programs", 3);
	assert_times(r->out, "xdp_alu_0", 3);
	assert_times(r->out, "\033", 0);
	/* no VM has such an event */
	r = bprof(f, "top --batch -n 2 -I 500ms -e %s,L1-dcache-load-misses", machine_event());
	assert_int_equal(r->status, 0);
	assert_contains(r->out, "; L1-dcache-load-misses not supported");
	assert_times(r->out, "L1-dcache-load-misses", 2);
	r = bprof(f, "top");
	assert_int_equal(r->status, 2);
	assert_contains(r->err, "give --batch");
}

/* With the key r and with --by retval, each return value has a row of its own. */
static void test_by_retval(void **state)
{
	struct fixture *f = *state;
	struct target two = load_target(f, "retval", "xdp_two");
	struct terminal t;
	struct run *r;

	/* The program runs so rarely that its probe stays attached, so each interval has a mean. */
	command_start(f, "drive pace %u 5 100000 1000000", two.id);
	open_top(&t, 24, 120, "-I 1s");
	terminal__await(&t, "xdp_two");
	press(&t, "b", "baseline", NULL);
	press(&t, "r", "; by retval", NULL);
	terminal__await(&t, "  XDP_DROP");
	terminal__await(&t, "  XDP_TX");
	assert_true(terminal__shows(&t, "xdp_two"));
	terminal__await(&t, "CHANGE"); /* the comparison with the baseline (key b) goes on */
	/* open the page of functions, and return to the list */
	press(&t, "t", "functions of program", "XDP_TX");
	press(&t, ESC, "XDP_TX", NULL);
	press(&t, "r", NULL, "XDP_TX");
	terminal__await(&t, "xdp_two");
	assert_false(terminal__shows(&t, "by retval"));
	quit(&t);
	r = bprof(f, "top --batch -n 2 -I 500ms --max-overhead 90%% --by retval -e %s",
		  machine_event());
	assert_int_equal(r->status, 0);
	assert_times(r->out, "xdp_two", 2);
	assert_times(r->out, "  XDP_DROP", 2);
	assert_times(r->out, "  XDP_TX", 2);
}

/* The program is selected by its id, without other programs. */
static void test_targets(void **state)
{
	struct fixture *f = *state;
	struct target alu = load_target(f, "alu", "xdp_alu_0"),
		      other = load_target(f, "tree", "xdp_tree");
	struct run *r;

	keep_running(f, alu);
	keep_running(f, other);
	r = bprof(f, "top --batch -n 1 -I 500ms --prog-id %u -e %s", alu.id, machine_event());
	assert_int_equal(r->status, 0);
	assert_contains(r->out, "xdp_alu_0");
	assert_contains(r->out, "1 program: 1 running");
	assert_null(strstr(r->out, "xdp_tree"));
}

static struct child *keep_pace(struct fixture *f, struct target t)
{
	return command_start(f, "drive pace %u 100 100000 1000000", t.id);
}

/* Copies the row of a program to row. */
static void copy_row(const struct terminal *t, const char *name, char row[TERMINAL_COLS + 1])
{
	for (int y = 0; y < t->rows; y++) {
		snprintf(row, TERMINAL_COLS + 1, "%.*s", t->cols, t->cell[y]);
		if (strstr(row, name))
			return;
	}
	fail_test("no row of %s", name);
}

/*
 * A program is replaced by a program that costs 10 % more. The new program gets a mark, and an
 * untouched program gets none.
 */
static void test_change(void **state)
{
	struct fixture *f = *state;
	struct target hot = load_target(f, "hot_5000", "xdp_hot");
	char row[TERMINAL_COLS + 1];
	struct child *load;
	struct terminal t;
	double change;

	keep_pace(f, load_target(f, "hot_501", "xdp_calm"));
	load = keep_pace(f, hot);
	open_top(&t, 24, 150, "-I 1s");
	terminal__await(&t, "xdp_hot");
	sleep(30);
	press(&t, "b", "CHANGE", NULL);
	child_signal(load, SIGTERM);
	child_wait(f, load);
	unload(f, hot);
	keep_pace(f, load_target(f, "hot_5500", "xdp_hot"));
	terminal__await(&t, "%*");
	copy_row(&t, "xdp_hot", row);
	printf("# %s\n", row);
	/* A timer interrupt in some of the runs adds to both means. */
	assert_non_null(strchr(row, '+'));
	change = strtod(strchr(row, '+'), NULL);
	assert_true(change > 8 && change < 12.5);
	copy_row(&t, "xdp_calm", row);
	assert_null(strchr(row, '*'));
	quit(&t);
}

KTEST_GROUP(top_exact, "costs over time in bprof top, whose runs no other virtual CPU makes longer",
	    NULL, ON(EXACT, ONCE), KTEST(test_change, LONG), KTEST(test_attached));

KTEST_GROUP(top, "bprof top in a terminal", NULL, ON(SMP4), KTEST(test_list),
	    KTEST(test_pages, LONG), KTEST(test_calls, LONG), KTEST(test_resize),
	    KTEST(test_end, LONG), KTEST(test_killed, LONG), KTEST(test_stop, LONG),
	    KTEST(test_churn, LONG), KTEST(test_batch), KTEST(test_targets),
	    KTEST(test_by_retval, LONG), KTEST(test_messages), KTEST(test_delay),
	    KTEST(test_pages_between), KTEST(test_write, LONG), KTEST(test_write_refused, LONG),
	    KTEST(test_mouse), KTEST(test_columns), KTEST(test_walk, ONCE),
	    KTEST(test_many, ONCE, LONG));
