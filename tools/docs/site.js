// Enter in the search opens the first result, unless the arrow keys have chosen another, which the site's own
// script opens. Results follow the text by 200 ms, or come after the index is loaded and asked once more.
const field = document.getElementById('tsd-search-input');
const results = document.getElementById('tsd-search-results');
const status = document.getElementById('tsd-search-status');
const pause = 250;
let waiting;

function openFirst(tries) {
  const first = results.querySelector('a');
  if (first) return first.click();
  if (status.textContent === '') field.dispatchEvent(new CustomEvent('input'));
  if (tries > 0) waiting = setTimeout(openFirst, pause, tries - 1);
}

field?.addEventListener('input', (event) => {
  if (event.isTrusted) clearTimeout(waiting);
});
field?.addEventListener('keydown', (event) => {
  const { key, shiftKey, ctrlKey, metaKey, altKey, isComposing } = event;
  if (key !== 'Enter' || shiftKey || ctrlKey || metaKey || altKey || isComposing) return;
  if (field.getAttribute('aria-activedescendant')) return;
  clearTimeout(waiting);
  waiting = setTimeout(openFirst, pause, 40);
});
