/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of the screen. Only the files of top/ and their tests use this header. */
#ifndef BPROF_TOP_PRIV_H
#define BPROF_TOP_PRIV_H

#include "report/report.h"
#include "top/top.h"
#include "top/top_judge.h"

#define TOP_INPUT_SZ 64

/* The columns of the list, in their order. From TOP_COL_MEAN on, each event has these columns. */
enum top_col {
	TOP_COL_ID,
	TOP_COL_NAME,
	TOP_COL_TYPE,
	TOP_COL_METHOD,
	TOP_COL_ATTACHED,
	TOP_COL_RUNS,
	TOP_COL_CPU,
	TOP_COL_HISTORY,
	TOP_COL_MEAN,
	TOP_COL_CHANGE,
	TOP_COL_P99,
	TOP_COL_MAX,
	TOP_COL_CNT
};

/* The last intervals of one function. */
struct top_past {
	/* one element for each event of the function's row in the report */
	struct top_series *event;
	__u64 last; /* the number of the last interval that had the function */
};

/* The last intervals of all functions. */
struct top_history {
	struct report *report; /* the functions' names and events, without values */
	struct top_past *past; /* one element for each row of report */
	__u64 intervals;
};

#define TOP_MEAN_OF 5 /* rows are sorted by the mean of this many intervals */
#define TOP_MEANS 5   /* number of columns that have such means */

#define TOP_CELLS 16 /* number of cells of the picture of a program's CPU share in two minutes */
#define TOP_CELL_NS (7500 * NSEC_PER_MSEC)
#define TOP_GRAPH_SZ (4 * TOP_CELLS + 1)

#define TOP_BARS 60	/* most bars of the picture of a percentile; a bar is an interval */
#define TOP_QUANTILES 2 /* P50, P99 */
#define TOP_BARS_SZ (4 * TOP_BARS + 1)

struct top_recent_row {
	__u32 id;
	__u64 last;			  /* the last interval in which the program ran */
	double v[TOP_MEANS][TOP_MEAN_OF]; /* the numbers of the last intervals, newest first */
	double cpu_ns[TOP_CELLS];	  /* CPU time in each cell, newest first; NaN: not known */
	float bar[TOP_QUANTILES]
		 [TOP_BARS]; /* a ring, with the newest at top_recent.bar; NaN: none */
};
_Static_assert(sizeof(struct top_recent_row) <= 1024, "the limit in docs/guide-top.md");

/* The last intervals of each program, its CPU time in the last minutes, and percentiles. */
struct top_recent {
	struct top_recent_row *row;
	int cnt;
	__u64 intervals;
	__u64 ns[TOP_MEAN_OF]; /* the lengths of the last intervals, newest first */
	__u64 now_ns;	       /* the sum of the lengths of all intervals */
	/*
	 * The time in ns of each cell that was measured: in all, and in the last interval; newest
	 * first.
	 */
	double cell_ns[TOP_CELLS], last_ns[TOP_CELLS];
	int bar;
	char *event, *unit; /* the bars show percentiles of this event; NULL: not known yet */
};

struct top {
	struct report *report; /* NULL: there is no report yet */
	/* The intervals until now or, with a baseline, the intervals before it and since it. */
	struct top_history before, since;
	bool compared; /* there is a baseline */
	/* the change that most programs have in common, as a share; 0: no such change */
	double machine;
	struct top_recent recent;
	bool mark_base; /* the next report is the last one before the baseline */
	struct top_stats stats;
	/* The programs to show, in order. All but rows.prog belongs to report. */
	struct report rows;
	const char *(*attached)(void *arg, __u32 id); /* NULL: the list has no such column */
	void *attached_arg;
	int sort;	  /* index of the column to sort by: top__column() */
	bool reverse;	  /* the order is reversed */
	bool by_interval; /* the order is that of the last interval, without earlier intervals */
	bool writing;	  /* top__set_writing() */
	bool paused, idle;
	unsigned int hidden; /* bit i is set: the user does not want column i, an enum top_col */
	int width;	     /* width of the screen on which the list was last printed; 0: none */
	char filter[TOP_INPUT_SZ], search[TOP_INPUT_SZ];
	/*
	 * The prompt of the line that the user types: '\\' for the filter, '/' for the search, 0:
	 * no line.
	 */
	char prompt;
	char input[TOP_INPUT_SZ];
	char *message; /* NULL: none */
	char *log;     /* the messages of top__add_message(), as lines; NULL: none */
	int unread;    /* how many of these messages came since the last key */
	/*
	 * The selected row. While chosen is set, the selection stays on the row of "selected" when
	 * the order changes.
	 */
	int cursor;
	bool chosen;
	struct report *selected; /* one row of top__add_identity(); NULL: none yet */
	int first;		 /* the first row on the screen */
	int shown;		 /* how many rows the screen had last */
	enum top_page page;
	char *text; /* text of the page; NULL: none yet */
	int scroll; /* index of the page's line that is first on the screen */
	int col;    /* the selected line of the page of columns */
};

/* Returns true if the list is sorted by means of the last intervals, not by the last alone. */
bool top__sorts_by_means(const struct top *t);
/* Returns the messages so far, for the page of messages. */
char *top__messages(const struct top *t);
/* Chooses and sorts the rows again. */
void top__arrange(struct top *t);
/* Ends the comparison. The intervals since the baseline become those before the next one. */
void top__end_comparison(struct top *t);
/* Selects this row or, if it does not exist, the nearest row. */
void top__select(struct top *t, int row);
/* Selects the next row that matches the search, beginning with row "from". */
void top__find(struct top *t, int from);

/* Returns the id of the program that was selected last; 0: none. */
__u32 top__selected_id(const struct top *t);

/* Adds a row without counts that stands for the same program, function and part as p. */
void top__add_identity(struct report *r, const struct report_prog *p);
/* Adds the interval of report r. */
void top_history__add(struct top_history *h, const struct report *r);
void top_history__free(struct top_history *h);
/*
 * Sets the changes of all events of r from "base" to "since". Sets *machine to the change that most
 * programs have in common (top_judge.h), for the first event that has such a change.
 */
void top_history__compare(const struct top_history *base, const struct top_history *since,
			  struct report *r, double *machine);

/* Adds the interval of report r. */
void top_recent__add(struct top_recent *h, const struct report *r);
/* Adds an interval that was not measured. It is a gap in the pictures. */
void top_recent__skip(struct top_recent *h, __u64 ns);
void top_recent__free(struct top_recent *h);
/* Returns true if the column has a mean of the last intervals. */
bool top_recent__has(const char *column);
/* Sets means[i] to the mean of the i-th program of r; NaN: not known. */
void top_recent__means(const struct top_recent *h, const char *column, const struct report *r,
		       double *means);

/*
 * Writes a picture of the program's CPU share in the last two minutes to buf. Returns the highest
 * value, to which the height of the picture is scaled; NaN: there is no value.
 */
double top_recent__graph(const struct top_recent *h, __u32 id, char buf[TOP_GRAPH_SZ]);
/*
 * Writes a picture of a percentile of the program's runs (0: P50, 1: P99) to buf, with a bar for
 * each of the last cnt intervals, at most TOP_BARS. Returns the highest value; NaN: there is no
 * value.
 */
double top_recent__bars(const struct top_recent *h, __u32 id, int quantile, int cnt,
			char buf[TOP_BARS_SZ]);

/* Returns true if the user wants the column. */
bool top__wants(const struct top *t, enum top_col col);
/* Prints the page of columns. Sets *cursor to the line that is selected. */
void top__print_columns(struct top *t, const struct screen *screen, int height, FILE *out,
			int *cursor);
/* Handles a key on the page of columns. Returns false if that page does not use the key. */
bool top__press_column(struct top *t, int key, enum top_action *action);

/* Shows the rows in the new order, and scrolls to the first row. */
enum top_action top__show_order(struct top *t);
/* Returns the row of the list on this line of the screen; -1: none. */
int top__row_at(const struct top *t, int y);

#define TOP_TITLE_SZ 32
/*
 * Copies the title of the column at this place of the screen. Sets *other if the column belongs to
 * an event other than the first. Returns false if there is no title at this place.
 */
bool top__title_at(const struct top *t, int x, int y, char title[TOP_TITLE_SZ], bool *other);

/* Prints the text of the page. */
void top__print_page(struct top *t, const struct screen *screen, int height, FILE *out);
/* Prints one line in this style. On a terminal, cuts the line off if it is too wide. */
void top__print_line(const char *s, enum table_style style, const struct screen *screen, FILE *out);
/* Prints the three lines that summarize all programs. */
void top__print_head(const struct top *t, const struct screen *screen, FILE *out);
/*
 * Prints the line that the user types, or else the message. Without either, prints which rows the
 * screen shows, if it has no room for all.
 */
void top__print_prompt(const struct top *t, const struct screen *screen, FILE *out);
/* Returns a text with all keys. */
char *top__help(void);
/* Prints the line of the most important keys. */
void top__print_keys(const struct top *t, const struct screen *screen, FILE *out);

#endif
