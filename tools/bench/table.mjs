/** @typedef {import('./run-case.mjs').Result} Result */

/** @param {number} value */
const digits = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value >= 1 ? value.toFixed(2) : value.toPrecision(2));

/** @param {Result} result */
function line({ what, unit, ours, reference, ratio, atBest, goal, met, skipped, failed }) {
  if (failed !== undefined) return [what, `failed: ${failed}`, '', '', '', '', ''];
  if (skipped !== undefined || ours === undefined) return [what, `skipped: ${skipped}`, '', '', '', '', ''];
  const time = `${digits(ours.median)} ${unit}`;
  if (reference === undefined || ratio === undefined || atBest === undefined) return [what, time, '–', '–', '–', goal === undefined ? '–' : `≤ ${goal}`, goal === undefined ? '' : 'not compared'];
  return [
    what, time, `${digits(reference.time.median)} ${unit} (${reference.form})`, `${ratio.median.toFixed(2)} (${ratio.least.toFixed(2)}–${ratio.most.toFixed(2)})`, atBest.toFixed(2),
    goal === undefined ? '–' : `≤ ${goal}`, met === undefined ? '' : met ? 'met' : '**not met**',
  ];
}

/**
 * @param {readonly Result[]} results
 * @returns {string} a Markdown table
 */
export function tableOf(results) {
  const head = ['case', 'ours', 'reference (its fastest form)', 'ratio (least–most)', 'at best', 'goal', ''];
  const rows = [head, head.map((_, k) => (k === 0 || k > 5 ? '---' : '---:')), ...results.map(line)];
  return `${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`;
}
