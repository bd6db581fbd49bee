/* The style sheet of reports: screens, phones, paper; light and dark. */
#include "show/html_page.h"

const char *const hsp__page_style[] = {
    ":root{color-scheme:light dark;--paper:#fff;--panel:#f5f6f8;--ink:#1c2330;--soft:#59616e;"
    "--line:#dde1e7;--accent:#0b62a8;--bar:#0072b2;--track:#e6e9ee;--warn:#8a4b00;"
    "--warn-paper:#fff6e6;--warn-line:#f0c679;--good:#0b6b45;--good-paper:#e9f7f0;--bad:#a4262c;"
    "--bad-paper:#fdeeee;--right:0,114,178;--wrong:213,94,0}\n",
    "@media(prefers-color-scheme:dark){:root{--paper:#14181d;--panel:#1d232d;--ink:#e7eaef;"
    "--soft:#a3adba;--line:#333c49;--accent:#7cc0f5;--bar:#56a9e0;--track:#2c3440;--warn:#ffc96b;"
    "--warn-paper:#2c2411;--warn-line:#6b5220;--good:#6fd7a8;--good-paper:#12291f;--bad:#ff9d9d;"
    "--bad-paper:#321a1c;--right:86,169,224;--wrong:230,140,60}}\n",
    "*{box-sizing:border-box}\n",
    "html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}\n",
    "body{margin:0 auto;max-width:74rem;padding:0 1.25rem 3rem;background:var(--paper);"
    "color:var(--ink);font:16px/1.55 system-ui,-apple-system,\"Segoe UI\",Roboto,\"Noto "
    "Sans\",\"Liberation Sans\",sans-serif;overflow-wrap:break-word}\n",
    "header{padding:2.25rem 0 .25rem}\n",
    "h1{font-size:2rem;line-height:1.2;margin:0;letter-spacing:-.015em}\n",
    "h2{font-size:1.35rem;line-height:1.3;margin:0 0 .75rem;letter-spacing:-.01em}\n",
    "h3{font-size:1.02rem;line-height:1.4;margin:1.75rem 0 .5rem}\n",
    "p{margin:.5rem 0 .9rem;max-width:46rem}\n",
    "code,pre,samp{font:.9em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,\"Liberation "
    "Mono\",monospace;overflow-wrap:anywhere}\n",
    "a{color:var(--accent)}\n",
    "a:focus-visible,[tabindex]:focus-visible,summary:focus-visible{outline:2px solid "
    "var(--accent);outline-offset:2px}\n",
    ".skip{position:absolute;left:-99rem}\n",
    ".skip:focus{left:1rem;top:.5rem;background:var(--paper);padding:.25rem .5rem}\n",
    ".files{color:var(--soft);margin:.35rem 0 0}\n",
    ".lead{font-size:1.1rem;margin:1rem 0 1.25rem}\n",
    "small,.note{color:var(--soft)}\n",
    ".note{font-size:.92rem}\n",
    "nav ul{list-style:none;margin:1rem 0 0;padding:0;display:flex;flex-wrap:wrap;gap:.15rem "
    "1.1rem}\n",
    "nav a{display:inline-block;padding:.2rem 0;text-decoration:none;font-size:.92rem}\n",
    "nav a:hover{text-decoration:underline}\n",
    "section{border-top:1px solid var(--line);margin-top:2.25rem;padding-top:1.75rem;"
    "scroll-margin-top:0}\n",
    ".cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:.75rem;"
    "margin:0 0 1.5rem}\n",
    ".card{background:var(--panel);border-radius:.5rem;padding:.8rem 1rem}\n",
    ".card dt{color:var(--soft);font-size:.88rem}\n",
    ".card dd{margin:.1rem 0 0;font-size:1.45rem;font-weight:600;line-height:1.3;"
    "font-variant-numeric:tabular-nums}\n",
    ".card small{display:block;font-size:.85rem;font-weight:400;line-height:1.4}\n",
    ".warnings{border:1px solid var(--warn-line);background:var(--warn-paper);"
    "border-radius:.5rem;padding:1rem 1.25rem;margin-top:1rem}\n",
    ".warnings h2{color:var(--warn);font-size:1.1rem;margin:0 0 .35rem}\n",
    ".warnings ul{margin:0;padding-left:1.1rem}\n",
    ".warnings li{margin:.3rem 0;max-width:52rem}\n",
    ".warnings p{margin:0}\n",
    ".warnings.none{border-color:var(--line);background:none}\n",
    ".warnings.none h2{color:inherit}\n",
    ".scroll{overflow-x:auto;margin:.5rem 0 1rem;max-width:100%}\n",
    "table{border-collapse:collapse;font-size:.92rem;line-height:1.4}\n",
    "th,td{padding:.32rem 1.1rem .32rem 0;text-align:left;vertical-align:top;border-bottom:1px "
    "solid var(--line)}\n",
    "th:last-child,td:last-child{padding-right:0}\n",
    "thead th,thead td{color:var(--soft);font-weight:500;vertical-align:bottom;"
    "border-bottom:1px solid var(--soft)}\n",
    "tbody th{font-weight:500;min-width:7rem;max-width:20rem;overflow-wrap:break-word}\n",
    "td.num,th.num{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}\n",
    "thead th.num{white-space:normal}\n",
    "td.note{min-width:14rem;max-width:34rem}\n",
    "td.strong{font-weight:600}\n",
    ".hash{font-size:.8em}\n",
    ".bar{display:block;margin-top:.35em;border-radius:2px;overflow:hidden}\n",
    ".bar rect{fill:var(--bar)}\n",
    ".bar .track{fill:var(--track)}\n",
    "table.matrix td,table.matrix th{border:1px solid var(--line);padding:.4rem .7rem}\n",
    "table.matrix tbody th{min-width:4rem}\n",
    "pre{background:var(--panel);border-radius:.4rem;padding:.6rem .8rem;margin:.5rem 0 "
    "1rem;white-space:pre-wrap;max-width:100%}\n",
    "pre code,pre samp{font-size:.86rem}\n",
    "figure{margin:.75rem 0 1rem;max-width:100%}\n",
    "figure>div>svg{display:block;max-width:100%;height:auto}\n",
    ".figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(26rem,100%),1fr));"
    "gap:1rem 1.5rem}\n",
    ".figures figure{margin:0}\n",
    "figcaption{color:var(--soft);font-size:.92rem;margin-top:.35rem;max-width:46rem}\n",
    "details{margin:.75rem 0}\n",
    "summary{cursor:pointer;color:var(--accent)}\n",
    "dl.plain{font-size:.92rem;margin:.5rem 0}\n",
    "dl.plain dt{font-weight:600;margin-top:.5rem}\n",
    "dl.plain dd{margin:0;color:var(--soft)}\n",
    ".result{border-left:4px solid;border-radius:.3rem;padding:.6rem 1rem;margin:0 0 1rem}\n",
    ".result p{margin:.2rem 0;color:var(--ink)}\n",
    ".result.good{border-color:var(--good);background:var(--good-paper)}\n",
    ".result.bad{border-color:var(--bad);background:var(--bad-paper)}\n",
    ".result pre{background:none;padding:.2rem 0}\n",
    "footer{border-top:1px solid "
    "var(--line);margin-top:2.5rem;padding-top:.75rem;color:var(--soft);font-size:.9rem}\n",
    ".r1{background:rgba(var(--right),.07)}.r2{background:rgba(var(--right),.1)}"
    ".r3{background:rgba(var(--right),.13)}.r4{background:rgba(var(--right),.16)}"
    ".r5{background:rgba(var(--right),.19)}.r6{background:rgba(var(--right),.22)}"
    ".r7{background:rgba(var(--right),.25)}.r8{background:rgba(var(--right),.28)}"
    ".r9{background:rgba(var(--right),.32)}\n",
    ".w1{background:rgba(var(--wrong),.08)}.w2{background:rgba(var(--wrong),.12)}"
    ".w3{background:rgba(var(--wrong),.16)}.w4{background:rgba(var(--wrong),.2)}"
    ".w5{background:rgba(var(--wrong),.24)}.w6{background:rgba(var(--wrong),.28)}"
    ".w7{background:rgba(var(--wrong),.32)}.w8{background:rgba(var(--wrong),.36)}"
    ".w9{background:rgba(var(--wrong),.4)}\n",
    "@media(max-width:34rem){body{padding:0 .9rem 2rem;font-size:15px}h1{font-size:1.6rem}"
    ".cards{grid-template-columns:repeat(2,minmax(0,1fr))}.card{padding:.6rem .75rem}.card "
    "dd{font-size:1.2rem}td.note{min-width:12rem}.facts td.note{min-width:0}.facts tbody "
    "th{min-width:5rem}}\n",
    "@media print{:root{color-scheme:light;--paper:#fff;--panel:#f5f6f8;--ink:#000;--soft:#444;"
    "--line:#ccc;--accent:#000;--bar:#0072b2;--track:#e6e9ee;--warn:#6b3a00;--warn-paper:#fff;"
    "--warn-line:#999;--good:#0b6b45;--good-paper:#fff;--bad:#a4262c;--bad-paper:#fff;"
    "--right:0,114,178;--wrong:213,94,0}"
    "@page{margin:16mm 14mm}"
    "body{max-width:none;padding:0;font-size:10pt}header{padding-top:0}nav,.skip,.screen{display:"
    "none}"
    "section{margin-top:1.2rem;padding-top:.8rem}h2,h3{break-after:avoid}"
    "figure,.card,.result,tr,pre{break-inside:avoid}.figures{grid-template-columns:1fr "
    "1fr}.scroll{overflow:visible}"
    "table{font-size:8pt}th,td{padding-right:.7rem}td.note{min-width:0;font-size:8pt}tbody "
    "th{min-width:4rem}svg,td{print-color-adjust:exact;"
    "-webkit-print-color-adjust:exact}details::details-content{content-visibility:visible;"
    "block-size:auto}}\n",
    NULL};
