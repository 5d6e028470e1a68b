// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The command lines of the campaign: at least one for each command of bprof. Must not know how runs are judged. */
#include "tests/faults/lines.h"

#define RUN " -- $DRIVE testrun $ID:100"
#define COMMIT "1111111111111111111111111111111111111111"
#define BENCH "bench $PROGS/xdp.bpf.o --prog xdp_pass -e time --blocks 3 --repeat 5"

const struct line lines[] = {
	{"annotate", "annotate -i $INPUTS/record.json -j -o $OUT"},
	{"annotate-text", "annotate -i $INPUTS/record.json --lines"},
	{"annotate-html", "annotate -i $INPUTS/record.json --format html -o $OUT"},
	{"annotate-pprof", "annotate -i $INPUTS/record.json --format pprof -o $OUT"},
	{"report", "report $INPUTS/report.json --format html -o $OUT"},
	{"report-csv", "report $INPUTS/report.json -x , -o $OUT"},
	{"diff", "diff $INPUTS/report.json $INPUTS/report.json"},
	{"diff-json", "diff $INPUTS/report.json $INPUTS/report.json -j -o $OUT"},
	{"diff-html", "diff $INPUTS/report.json $INPUTS/report.json --format html -o $OUT"},
	{"history-add", "history add -f $OUT.history --commit " COMMIT " $INPUTS/report.json"},
	{"history-show", "history show -f $INPUTS/history"},
	{"history-check", "history check -f $INPUTS/history"},
	{"history-html", "history html -f $INPUTS/history -o $OUT"},
	{"list", "list", NEEDS_BPF},
	{"list-json", "list -j -o $OUT", NEEDS_BPF},
	{"list-perf", "list --perf", NEEDS_BPF},
	{"list-events", "system --list-events", NEEDS_BPF},
	{"doctor", "doctor", NEEDS_BPF},
	{"doctor-json", "doctor -j -o $OUT", NEEDS_BPF},
	{"run_stats", "--prog-id $ID --method run_stats -j -o $OUT" RUN, NEEDS_BPF},
	{"samples", "--prog-id $ID --method samples -e cpu-clock" RUN, NEEDS_BPF},
	{"interval", "--prog-id $ID --method run_stats -I 20 --interval-count 2 --timeout 100",
	 NEEDS_BPF, STREAMED},
	{"system", "system -a -e cpu-clock -j -o $OUT -- true", NEEDS_BPF, SHARED},
	{"system-plain", "system -e task-clock --method perf_event -- true", NEEDS_BPF},
	{"system-process", "system -p 1 -e context-switches -j -o $OUT -- true", NEEDS_BPF, SHARED},
	{"system-cgroup", "system --for-each-cgroup / -e cpu-clock -- true", NEEDS_BPF, SHARED},
	{"system-plain-process",
	 "system --method perf_event -p 1 -e task-clock,time -j -o $OUT -- true", NEEDS_BPF},
	{"system-plain-cgroup",
	 "system --method perf_event --for-each-cgroup / -e {cpu-clock,page-faults} -- true",
	 NEEDS_BPF},
	{"watch", "watch --timeout 20", NEEDS_BPF, STREAMED},
	{"watch-load",
	 "watch -- env ASAN_OPTIONS=detect_leaks=0 $DRIVE run --obj $PROGS/xdp.bpf.o -- true",
	 NEEDS_BPF, STREAMED},
	{"top", "top --batch -n 1 -I 100 --prog-id $ID", NEEDS_BPF, STREAMED},
	{"export", "export -o $OUT --prog-id $ID -I 100 --timeout 150", NEEDS_BPF},
	{"record", "record --prog-id $ID -e cpu-clock -o $OUT" RUN, NEEDS_BPF},
	{"bench", BENCH " -j -o $OUT", NEEDS_BPF},
	{"bench-two",
	 "bench $PROGS/xdp.bpf.o $PROGS/xdp.bpf.o --prog xdp_pass -e time --blocks 3 --repeat 5 "
	 "--fail-on verified_insns>0 -j -o $OUT",
	 NEEDS_BPF},
	{"bench-maps",
	 "bench $PROGS/stranger.bpf.o --kconfig $INPUTS/kconfig --prog xdp_unsized --prog "
	 "xdp_config "
	 "--map-size unsized=7 --map unsized=$INPUTS/map.json --global factor=3 --inner-map "
	 "outer=inner -e time --blocks 3 --repeat 5 -j -o $OUT",
	 NEEDS_BPF},
	{"benchfmt", "bench --prog-id $ID --blocks 3 --repeat 5 -e time --format benchfmt",
	 NEEDS_BPF},
	{"suite", "bench --suite $INPUTS/suite.json --set DIR=$PROGS -e time --blocks 3 --repeat 5",
	 NEEDS_BPF},
	{"stat", "--prog-id $ID -e cpu-clock,time -j -o $OUT" RUN, NEEDS_TRACING},
	{"stat-text", "--prog-id $ID -e time --hist" RUN, NEEDS_TRACING},
	{"tree", "--prog-id $ID --func * -e time" RUN, NEEDS_TRACING},
	{"retval", "--prog-id $ID --by retval -e time" RUN, NEEDS_TRACING},
	{"sample", "--prog-id $ID --sample auto -e time" RUN, NEEDS_TRACING},
	{"follow", "--name xdp_* --follow -e time --timeout 50", NEEDS_TRACING},
	{"follow-load",
	 "--name xdp_* --follow -e time -j -o $OUT -- env ASAN_OPTIONS=detect_leaks=0 "
	 "$DRIVE run --obj $PROGS/xdp.bpf.o -- true",
	 NEEDS_TRACING},
	{"pcap", "trace --prog-id $ID --every 10 --pcap $OUT" RUN, NEEDS_TRACING, STREAMED},
	{"trace", "trace --prog-id $ID --every 10" RUN, NEEDS_TRACING, STREAMED},
};

const int line_cnt = sizeof(lines) / sizeof(*lines);
