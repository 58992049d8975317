import { compare, interleave, spreadOf, warmUpBy, warmUpFor } from './measure.mjs';

/** @typedef {import('./case.mjs').Case} Case */
/** @typedef {import('./measure.mjs').Spread} Spread */
/** @typedef {import('./measure.mjs').Runner} Runner */
/** @typedef {{ readonly nanoseconds: number, readonly warmUp: number }} Lengths */
/**
 * @typedef {object} Result
 * @property {string} name
 * @property {string} what
 * @property {string} unit
 * @property {Spread} [ours] in `unit`
 * @property {{ readonly form: string, readonly time: Spread, readonly forms: Readonly<Record<string, Spread>> }} [reference]
 * @property {number} [first] our very first run, before compilation, in `unit`
 * @property {Spread} [ratio] of pairs, ours over the reference
 * @property {number} [atBest] our least reading over the reference's least
 * @property {number} [goal]
 * @property {boolean} [met] whether the median ratio reaches the goal; of a query, whether time and width do and the best known value is inside
 * @property {{ readonly lower: number, readonly upper: number, readonly method?: string }} [answer] of a query
 * @property {Case['most']} [most]
 * @property {number} [known]
 * @property {string} [detail] what was found besides the times
 * @property {string} [skipped]
 * @property {string} [failed]
 */

/**
 * @param {Case} given
 * @param {(threads: number) => import('./python.mjs').Reference | null} referenceFor
 * @param {Lengths & { readonly pairs: number, readonly once?: boolean }} options With `once` each side runs once, and
 * nothing is timed.
 * @returns {Promise<Result>}
 */
export async function runCase(given, referenceFor, { pairs, once = false, ...lengths }) {
  const { name, what, unit, goal, against, forms = [] } = given;
  const result = { name, what, unit, ...(goal === undefined ? {} : { goal }) };
  const prepared = await given.prepare();
  try {
    if (prepared.run === undefined) return { ...result, skipped: prepared.skipped ?? 'it cannot run' };
    const reference = forms.length === 0 ? null : referenceFor(given.threads ?? 1);
    /** @type {[string, Runner][]} */
    const others = against !== undefined && prepared.other !== undefined ? [[against, prepared.other]] : [];
    if (reference !== null)
      others.push(...(await referenceRunners({ ...given, ...sizeOf(given, prepared) }, reference)));
    if (reference !== null && prepared.check !== undefined)
      await assertAlike(prepared.check(), forms, reference);
    if (once) {
      for (const run of [prepared.run, ...others.map(([, other]) => other)]) await run(1);
      prepared.detail?.();
      if (prepared.answer !== undefined) assertKnown(given, prepared.answer());
      return result;
    }
    const { repeats, first } = await (given.runs === undefined
      ? warmUpFor(prepared.run, lengths)
      : warmUpBy(prepared.run, given.runs));
    const [ours, ...theirs] = await interleave(
      [prepared.run, ...others.map(([, run]) => run)],
      repeats,
      pairs,
    );
    const scale = given.nanoseconds * (given.parts ?? 1);
    const scaled = (/** @type {readonly number[]} */ readings) =>
      spreadOf(readings.map((reading) => reading / scale));
    const detail = prepared.detail?.();
    const own = {
      ...result,
      ours: scaled(ours),
      first: first / scale,
      ...(detail === undefined ? {} : { detail }),
    };
    if (prepared.answer !== undefined)
      return { ...own, ...judged(given, own.ours.median, prepared.answer()) };
    if (theirs.length === 0) return own;
    const { fastest, ratio, atBest } = compare(ours, theirs);
    return {
      ...own,
      ratio,
      atBest,
      ...(goal === undefined ? {} : { met: ratio.median <= goal }),
      ...(given.most === undefined ? {} : { most: given.most, met: own.ours.median <= given.most.time }),
      reference: {
        form: others[fastest][0],
        time: scaled(theirs[fastest]),
        forms: Object.fromEntries(others.map(([form], k) => [form, scaled(theirs[k])])),
      },
    };
  } finally {
    await prepared.dispose?.();
  }
}

/**
 * The size that the reference is told: the case's, and what was found when it was prepared.
 * @param {Case} given
 * @param {import('./case.mjs').Prepared} prepared
 */
const sizeOf = ({ size }, { size: found }) => ({ size: { ...size, ...found } });

/**
 * Whether an answer contains the known value, if there is one. Published values have six digits, the last of
 * them uncertain.
 * @param {{ readonly lower: number, readonly upper: number }} answer
 * @param {number | undefined} known
 */
const contains = ({ lower, upper }, known) =>
  known === undefined || (lower <= known * (1 + 1e-5) && upper >= known * (1 - 1e-5));

/**
 * @param {Case} given
 * @param {{ readonly lower: number, readonly upper: number }} answer
 * @throws {Error} for an answer without the best known value in it.
 */
function assertKnown({ known }, answer) {
  if (!contains(answer, known))
    throw new Error(
      `the answer [${answer.lower}, ${answer.upper}] does not contain the known value ${known}`,
    );
}

/**
 * A query meets its goals by its time, the width of its
 * answer, and an interval that contains the known value.
 * @param {Case} given
 * @param {number} time
 * @param {{ readonly lower: number, readonly upper: number, readonly method?: string }} answer
 */
function judged({ most, known }, time, answer) {
  const inside = contains(answer, known);
  const narrow =
    most?.width === undefined || most.width === null || answer.upper - answer.lower <= most.width;
  const isLow = most?.upper === undefined || answer.upper <= most.upper;
  return {
    answer,
    ...(known === undefined ? {} : { known }),
    ...(most === undefined ? {} : { most, met: inside && narrow && isLow && time <= most.time }),
  };
}

/**
 * @param {Pick<Case, 'of' | 'forms'> & ReturnType<typeof sizeOf>} given
 * @param {import('./python.mjs').Reference} reference
 * @returns {Promise<[string, Runner][]>}
 */
async function referenceRunners({ of, forms = [], size }, reference) {
  for (const form of forms) await reference.ask({ do: 'prepare', case: of, form, size });
  return forms.map((form) => [
    form,
    async (repeats) => (await reference.ask({ do: 'run', form, repeats })).nanoseconds,
  ]);
}

/**
 * Both sides must compute equal results, or their times are not comparable.
 * @param {Float64Array} ours
 * @param {readonly string[]} forms
 * @param {import('./python.mjs').Reference} reference
 */
async function assertAlike(ours, forms, reference) {
  const size = ours.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
  for (const form of forms) {
    const { values } = await reference.ask({ do: 'check', form });
    const distance = ours.reduce((most, value, j) => Math.max(most, Math.abs(value - values[j])), 0);
    if (!(values.length === ours.length && distance <= 1e-9 * size))
      throw new Error(
        `our result and the reference's (${form}) differ by ${distance}, against entries up to ${size}`,
      );
  }
}
