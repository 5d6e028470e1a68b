// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The frame and the style of a page. Owns the colours, and the policy that keeps the page from
 * loading anything. tests/html.py checks the contrast of the colours. Must not know what a page
 * shows.
 */
#include <stdbool.h>

#include "html/html.h"

/* clang-format off */
const char html_style[] =
"*{box-sizing:border-box}\n"
/* Colours: light by default and on paper, dark if the reader's system is set to dark colours. */
":root{color-scheme:light dark;--bg:#ffffff;--panel:#f4f5f7;--line:#c9ced6;--text:#1b1f24;"
"--dim:#575e68;--bad:#b3141f;--warn:#7a4b00;--good:#116329;--bar:#2f6fb7;--bar2:#8a5a00;"
"--heat1:#fff3e0;--heat2:#ffe0b8;--heat3:#ffca8f;--heat4:#ffb06a;--heat5:#ff944d}\n"
"@media screen and (prefers-color-scheme:dark){:root{--bg:#14171b;--panel:#1e2329;--line:#3d454f;"
"--text:#e6e9ed;--dim:#a3abb6;--bad:#ff8f8a;--warn:#e8b34f;--good:#69d28a;--bar:#6ea8e8;"
"--bar2:#e0a84a;--heat1:#2a2218;--heat2:#3f2c17;--heat3:#563716;--heat4:#6e4214;"
"--heat5:#864c10}}\n"
"body{margin:0 auto;max-width:90rem;padding:1rem;background:var(--bg);color:var(--text);"
"font:1rem/1.5 system-ui,sans-serif}\n"
"h1{font-size:1.5rem;line-height:1.25;margin:0 0 .5rem;overflow-wrap:anywhere}\n"
"h2{font-size:1.2rem;margin:2rem 0 .5rem;overflow-wrap:anywhere}\n"
"h3{font-size:1rem;margin:1.25rem 0 .5rem;overflow-wrap:anywhere}\n"
"p,li,dd,dt{overflow-wrap:anywhere}\n"
"p,ul{margin:.5rem 0}\n"
"ul{padding-left:1.25rem}\n"
".box{overflow-x:auto;margin:.5rem 0 1rem}\n"
":focus-visible{outline:2px solid var(--bar);outline-offset:2px}\n"
"table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}\n"
"caption{text-align:left;color:var(--dim);padding-bottom:.25rem;position:sticky;left:0;"
"width:max-content;max-width:calc(100vw - 2rem)}\n"
"th,td{padding:.2rem .6rem;text-align:left;vertical-align:top;white-space:pre}\n"
"thead th{border-bottom:2px solid var(--line);vertical-align:bottom}\n"
"tbody{border-bottom:1px solid var(--line)}\n"
"tbody th{font-weight:600}\n"
"tbody tr:hover{background:var(--panel)}\n"
".num{text-align:right}\n"
".name{white-space:pre-wrap;overflow-wrap:anywhere;min-width:7rem;max-width:28rem}\n"
".dim{color:var(--dim)}\n.bad{color:var(--bad)}\n.warn{color:var(--warn)}\n"
".good{color:var(--good)}\n"
".verdict{font-size:1.2rem;font-weight:600;padding:.6rem .9rem;border-left:.4rem solid;"
"background:var(--panel)}\n"
".facts{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.5rem 0}\n"
".facts dt{color:var(--dim)}\n.facts dd{margin:0}\n"
"summary{cursor:pointer}\nsummary h2{display:inline;font-size:1rem}\n"
".charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(20rem,100%),1fr));"
"gap:1rem}\n"
"figure{margin:0;padding:.6rem;background:var(--panel);min-width:0}\n"
"figcaption{font-size:.875rem;overflow-wrap:anywhere}\n"
"figure summary{font-size:.875rem}\n"
"svg{display:block;width:100%;max-width:30rem;height:auto}\n"
"svg text{font:11px system-ui,sans-serif;fill:var(--text)}\n"
"svg .bar{fill:var(--bar)}\nsvg .axis{stroke:var(--dim)}\n"
"svg .mark{stroke:var(--bar2);stroke-width:2}\nsvg .dot{fill:var(--bar)}\n"
"svg .worse{fill:var(--bad)}\nsvg .better{fill:var(--good)}\n"
"svg .path{fill:none;stroke:var(--bar);stroke-width:1.5}\n"
".code{font-family:ui-monospace,monospace}\n"
".code details{white-space:normal}\n.code summary{white-space:pre}\n"
".heat1{background:var(--heat1)}\n.heat2{background:var(--heat2)}\n"
".heat3{background:var(--heat3)}\n.heat4{background:var(--heat4)}\n"
".heat5{background:var(--heat5)}\n"
"@media(max-width:40rem){body{padding:.75rem}th,td{padding:.2rem .4rem}"
".facts{grid-template-columns:1fr}.facts dd{margin-bottom:.4rem}}\n"
"@media print{body{max-width:none;padding:0;font-size:10pt}.box{overflow:visible}"
"table{font-size:8pt}th,td{padding:.1rem .3rem}tr,figure{break-inside:avoid}"
"h2,h3,caption{break-after:avoid}"
"details::details-content{content-visibility:visible;block-size:auto}}\n";
/* clang-format on */

void html_page__begin(FILE *out, const char *title)
{
	struct html h = {.out = out};

	/* The style is part of the page. Nothing else may be loaded, run or sent. */
	fputs("<!DOCTYPE html>\n<html lang=\"en\" dir=\"ltr\">\n<head>\n"
	      "<meta charset=\"utf-8\"/>\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\"/>\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
	      "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
	      "<meta name=\"referrer\" content=\"no-referrer\"/>\n",
	      out);
	html__element(&h, "title", NULL, title);
	fprintf(out, "\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", html_style);
	html__element(&h, "h1", NULL, title);
	fputc('\n', out);
}

void html_page__end(FILE *out)
{
	fputs("</main>\n</body>\n</html>\n", out);
}
