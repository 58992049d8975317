// The search of the site, from the first moment on.
const field = document.getElementById('tsd-search-input');
const results = document.getElementById('tsd-search-results');
const status = document.getElementById('tsd-search-status');
const pause = 250;
let waiting;

// The page is hidden until its navigation is there, for at most half a second. A field in a hidden page takes
// no focus, so the key that opens the search shows the page first.
document.addEventListener('keydown', () => window.app?.showPage(), { capture: true, once: true });

// Text that was typed before the index was there is searched for when it is.
const ready = new MutationObserver(() => {
  if (status.textContent.trim() === '' && field.value !== '' && !results.firstChild)
    field.dispatchEvent(new CustomEvent('input'));
});
if (status) ready.observe(status, { childList: true });

// Enter opens the first result, unless the arrow keys have chosen another, which the site's own script opens.
// Results follow the text by 200 ms.
function openFirst(tries) {
  const first = results.querySelector('a');
  if (first) return first.click();
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
