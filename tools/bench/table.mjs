/** @typedef {import('./run-case.mjs').Result} Result */

/** @param {number} value */
const digits = (value) => {
  if (value >= 100) return value.toFixed(0);
  if (value >= 10) return value.toFixed(1);
  return value >= 1 ? value.toFixed(2) : value.toPrecision(2);
};

/** @param {Result} result */
function line({ what, unit, ours, reference, ratio, atBest, goal, most, met, detail, skipped, failed }) {
  if (failed !== undefined) return [what, `failed: ${failed}`, '', '', '', '', ''];
  if (skipped !== undefined || ours === undefined) return [what, `skipped: ${skipped}`, '', '', '', '', ''];
  const time = `${digits(ours.median)} ${unit}`;
  if (reference === undefined || ratio === undefined || atBest === undefined)
    return [
      what,
      time,
      '–',
      '–',
      '–',
      goal === undefined ? '–' : `≤ ${goal}`,
      goal === undefined ? '' : 'not compared',
    ];
  const verdict = () => {
    if (met === undefined) return '';
    return met ? 'met' : '**not met**';
  };
  const goalText = () => {
    if (most !== undefined) return `≤ ${most.time} ${unit}`;
    return goal === undefined ? '–' : `≤ ${goal}`;
  };
  return [
    detail === undefined ? what : `${what}; ${detail}`,
    time,
    `${digits(reference.time.median)} ${unit} (${reference.form})`,
    `${ratio.median.toFixed(2)} (${ratio.least.toFixed(2)}–${ratio.most.toFixed(2)})`,
    atBest.toFixed(2),
    goalText(),
    verdict(),
  ];
}

/**
 * What is known of a case when it is done, in one line.
 *
 * @param {Result} result
 */
export function shortLine({ unit, ours, ratio, met, answer, skipped, failed }) {
  if (failed !== undefined) return `failed: ${failed}`;
  if (ours === undefined) return skipped === undefined ? 'runs' : `skipped: ${skipped}`;
  const verdict = met === undefined ? [] : [met ? 'goal met' : 'goal not met'];
  return [
    `${digits(ours.median)} ${unit}`,
    ...(ratio === undefined ? [] : [`ratio ${ratio.median.toFixed(2)}`]),
    ...(answer === undefined ? [] : [`[${answer.lower.toPrecision(8)}, ${answer.upper.toPrecision(8)}]`]),
    ...verdict,
  ].join(', ');
}

/** @param {Result} result */
function queryLine({ what, unit, ours, answer, known, most, met }) {
  if (ours === undefined || answer === undefined) return [];
  const width = answer.upper - answer.lower;
  const verdictOf = () => {
    if (met === undefined) return '';
    return met ? 'met' : '**not met**';
  };
  return [
    what,
    `${digits(ours.median)} ${unit}`,
    most === undefined ? '–' : `≤ ${most.time}`,
    `[${answer.lower.toPrecision(8)}, ${answer.upper.toPrecision(8)}]`,
    known === undefined ? '–' : String(known),
    width.toExponential(1),
    most === undefined || most.width === null ? '–' : `≤ ${most.width}`,
    verdictOf(),
  ];
}

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
const markdown = (head, rows) =>
  [head, head.map((_, k) => (k === 0 || k === head.length - 1 ? '---' : '---:')), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n') + `\n`;

/**
 * @param {readonly Result[]} results
 * @returns {string} Markdown tables: of comparisons, and of queries with their answers
 */
export function tableOf(results) {
  const queries = results.filter(({ answer }) => answer !== undefined);
  const others = results.filter(({ answer }) => answer === undefined);
  const tables = [];
  if (others.length > 0)
    tables.push(
      markdown(
        ['case', 'ours', 'reference (its fastest form)', 'ratio (least–most)', 'at best', 'goal', ''],
        others.map(line),
      ),
    );
  if (queries.length > 0)
    tables.push(
      markdown(
        ['query', 'time', 'goal', 'answer', 'best known', 'width', 'goal', ''],
        queries.map(queryLine),
      ),
    );
  return tables.join('\n');
}
