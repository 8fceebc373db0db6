/** Style sheet of the page: light and dark, narrow and wide, and for printing. */
export const STYLE = `
:root{--ink:#1d2129;--soft:#5d6675;--page:#fff;--box:#f4f5f7;--line:#d9dde3;--user:#e8f0fe;--add:#dff5e1;--del:#fde4e4;--red:#b3261e;--amber:#8a5a00;--link:#0b57d0;--key:#7a1fa2;--string:#0a6c2e;--number:#9c4a00}
@media (prefers-color-scheme:dark){:root{--ink:#e4e6eb;--soft:#9aa3b0;--page:#15171b;--box:#1f2228;--line:#343a43;--user:#1c2b45;--add:#16351d;--del:#44191b;--red:#ff8a80;--amber:#ffca6b;--link:#8ab4f8;--key:#d7a3f5;--string:#8fd6a0;--number:#f2b279}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:56rem;padding:1rem;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.4rem;margin:.2rem 0}
.top{border-bottom:1px solid var(--line);margin-bottom:1rem}
dl{display:grid;grid-template-columns:auto 1fr;gap:.1rem .8rem;font-size:.85rem;color:var(--soft)}dd{margin:0}
article{margin:1rem 0;padding:.6rem .9rem;border-radius:.6rem}
article>header{font-size:.8rem;color:var(--soft);margin-bottom:.3rem}
.user{background:var(--user)}.system{background:var(--box)}
.plain{white-space:pre-wrap}
a{color:var(--link)}
pre,code{font:.85rem/1.45 ui-monospace,monospace}
pre{background:var(--box);padding:.6rem .8rem;border-radius:.4rem;overflow-x:auto;white-space:pre-wrap;margin:.4rem 0}
details{margin:.5rem 0}summary{cursor:pointer}
.card,.fold,.thinking,.list{border:1px solid var(--line);border-radius:.4rem;padding:.3rem .7rem}
.card.error summary,.notice.error{color:var(--red)}.notice.warning{color:var(--amber)}
.thinking,.marker,.notice{color:var(--soft);font-size:.9rem}
.diff{margin:.5rem 0}.diff figcaption{font-size:.85rem;color:var(--soft)}
.diff span{display:inline-block;min-width:100%}.added{background:var(--add)}.removed{background:var(--del)}.place{color:var(--soft)}
.list li.done{text-decoration:line-through;color:var(--soft)}.list li.active{font-weight:600}
.picture img{max-width:100%;height:auto}
table{border-collapse:collapse;display:block;overflow-x:auto}td,th{border:1px solid var(--line);overflow-wrap:normal;padding:.2rem .5rem}
blockquote{margin:.5rem 0;padding-left:.8rem;border-left:3px solid var(--line);color:var(--soft)}
.hljs-keyword,.hljs-literal,.hljs-built_in,.hljs-type,.hljs-tag,.hljs-name{color:var(--key)}
.hljs-string,.hljs-regexp,.hljs-attr,.hljs-addition{color:var(--string)}
.hljs-number,.hljs-title,.hljs-meta,.hljs-variable{color:var(--number)}
.hljs-comment,.hljs-quote,.hljs-deletion{color:var(--soft)}
@media (max-width:40rem){body{padding:.6rem;font-size:15px}article{padding:.5rem .6rem}}
@media print{body{max-width:none;font-size:11pt}article,.card,.diff{break-inside:avoid}a{color:inherit}details::details-content{content-visibility:visible;block-size:auto}}
`;
