/**
 * The style of a listing.
 *
 * Browsers lay out a table as a whole: 100,000 rows took Chromium 20 s. So each row is a grid with columns of fixed
 * widths, and rows are in blocks, which a browser lays out and paints only while they are in sight. On a phone a row has
 * two lines, and all of it is the link.
 */
export const STYLE = `
:root{color-scheme:light dark;--line:#e3e3e8;--soft:#62626d;--link:#0b57d0;--hover:#f4f6fa;--page:#fff;--text:#1b1b1f}
@media(prefers-color-scheme:dark){:root{--line:#303038;--soft:#9a9aa6;--link:#8ab4f8;--hover:#22242b;--page:#17181c;--text:#e6e6ea}}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;margin:0 auto;max-width:60rem;padding:1.5rem 1.25rem 4rem;background:var(--page);color:var(--text)}
h1{font-size:1.15rem;font-weight:600;margin:0 0 .25rem;overflow-wrap:anywhere}
nav{color:var(--soft);font-size:.9rem;margin:0 0 1.25rem;overflow-wrap:anywhere}
a{color:var(--link);text-decoration:none}
a:hover{text-decoration:underline}
a:focus-visible,button:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:3px}
table,thead,tbody,td,th{display:block}
tbody{content-visibility:auto;contain-intrinsic-size:auto 4100px}
tr{display:grid;grid-template-columns:minmax(0,1fr) 5.5rem 11.5rem;border-bottom:1px solid var(--line);padding:0 .6rem}
tbody tr:hover{background:var(--hover)}
th{text-align:left}
button{font:inherit;font-size:.85rem;font-weight:500;color:var(--soft);background:none;border:0;padding:.5rem 0;cursor:pointer}
button:hover{text-decoration:underline}
td a{display:block;padding:.5rem 0;overflow-wrap:anywhere}
td+td,th+th{white-space:nowrap;text-align:right}
td+td{color:var(--soft);font-variant-numeric:tabular-nums;font-size:.9rem;align-self:center}
.folder a{font-weight:600}
p{color:var(--soft)}
@media(max-width:36rem){
body{padding:1rem .75rem 3rem}
tbody{contain-intrinsic-size:auto 6800px}
tr{grid-template-columns:1fr auto;padding:0 .25rem;position:relative}
thead tr{grid-template-columns:1fr 5rem 5rem}
button{padding:.7rem 0}
td:first-child{grid-column:1/3}
td+td{grid-row:2;font-size:.8rem;padding-bottom:.5rem}
td:nth-child(2){grid-column:2}
td:nth-child(3){grid-column:1;text-align:left}
td a{padding:.7rem 0 .35rem}
td a::after{content:"";position:absolute;inset:0}
}
`;
