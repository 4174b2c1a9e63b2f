/** The page's style: light, dark, phone and paper. */
export const style = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #59636e; --line: #d6dbe1; --page: #ffffff; --box: #f4f6f8;
  --one: #0b6bcb; --two: #b3590a; --alarm: #b3261e; --alarm-box: #fdeceb; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --soft: #9aa5b1; --line: #343b44; --page: #14181d;
  --box: #1d232a; --one: #63a9f3; --two: #e79a4f; --alarm: #ff8a80; --alarm-box: #3a1d1d; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 56rem; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p { margin: .25rem 0; }
ul { margin: 0; padding-left: 1.1rem; }
.soft, li, dt { color: var(--soft); }
.box { background: var(--box); border-left: 4px solid var(--one); padding: .6rem 1rem; margin: 1rem 0; border-radius: 4px; }
.box h2 { margin: 0; }
.box.alarm { background: var(--alarm-box); border-color: var(--alarm); }
.alarm h2, .alarm strong { color: var(--alarm); }
figure { margin: 1rem 0; }
svg { display: block; width: 100%; height: auto; }
.narrow { display: none; }
ol { list-style: none; margin: 0; padding: 0; }
ol > li { color: inherit; display: grid; grid-template-columns: 9.5rem 6rem 1fr; gap: 0 .75rem; padding: .4rem 0;
  border-top: 1px solid var(--line); }
.note strong { font-weight: normal; }
.own { color: var(--one); }
.other { color: var(--two); }
dl { display: grid; grid-template-columns: 7.5rem 1fr; gap: .2rem .75rem; margin: 0; }
dd { margin: 0; }
time { font-variant-numeric: tabular-nums; color: var(--soft); }
@media (max-width: 40rem) {
  .wide { display: none; }
  .narrow { display: block; }
  ol > li { grid-template-columns: auto 1fr; }
  ol > li > div { grid-column: 1 / -1; }
  dl { grid-template-columns: 1fr; }
  dt:empty { display: none; }
  dd { margin-bottom: .3rem; }
}
@media print {
  :root { color-scheme: light; --ink: #000; --soft: #444; --line: #bbb; --page: #fff; --box: #fff; --one: #0b5cad;
    --two: #9a4a05; --alarm: #a00; --alarm-box: #fff; }
  body { padding: 0; max-width: none; font-size: 11pt; }
  .wide { display: block; }
  .narrow { display: none; }
  .box { border: 1px solid var(--line); }
  figure, li, .box { break-inside: avoid; }
  h2 { break-after: avoid; }
  @page { margin: 18mm; }
}`;
