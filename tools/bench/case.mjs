/**
 * One line of the table. With `forms` it is compared with the
 * reference's fastest form; without, our time stands alone.
 * @typedef {object} Case
 * @property {string} name `group/name`, for filters
 * @property {string} what one line for the reader
 * @property {string} unit of the printed times
 * @property {number} nanoseconds per `unit`
 * @property {number} [parts] units of work in one repetition: times are divided by it
 * @property {readonly string[]} [forms] of the reference
 * @property {string} [of] name of the case in reference/*.py
 * @property {Readonly<Record<string, number>>} [size] for the reference
 * @property {number} [threads] of the reference; 1 if left out
 * @property {number} [goal] the ratio to reach
 * @property {string} [against] name of a reference in this process, instead of numpy
 * @property {{ readonly time: number, readonly width: number | null, readonly upper?: number }} [most] goals for the time, in `unit`, and of a query for the width of its answer and for its upper end
 * @property {number} [known] the best known value of a query
 * @property {{ readonly warmUp: number, readonly reading: number }} [runs] runs of the warm-up and of a reading, in place of times
 * @property {() => Prepared | Promise<Prepared>} prepare makes the inputs; not timed
 */

/**
 * Functions of a case. `skipped` is the reason why it cannot run.
 * @typedef {object} Prepared
 * @property {import('./measure.mjs').Runner} [run]
 * @property {import('./measure.mjs').Runner} [other] the reference named by `against`
 * @property {() => Float64Array} [check] the result, to be compared with the reference's
 * @property {() => { readonly lower: number, readonly upper: number, readonly method?: string }} [answer] of a query
 * @property {() => string} [detail] what was found besides the times
 * @property {string} [skipped]
 * @property {Readonly<Record<string, unknown>>} [size] for the reference, besides that of the case
 * @property {() => void | Promise<void>} [dispose]
 */

export const milliseconds = { unit: 'ms', nanoseconds: 1e6 };
export const microseconds = { unit: 'µs', nanoseconds: 1e3 };

/** @param {string} what */
export const nanosecondsEach = (what) => ({ unit: `ns/${what}`, nanoseconds: 1 });

/** @param {string} what */
export const microsecondsEach = (what) => ({ unit: `µs/${what}`, nanoseconds: 1e3 });

/** @param {number} count */
export const short = (count) => {
  if (count >= 1e6) return `${count / 1e6}M`;
  return count >= 1e3 ? `${count / 1e3}k` : String(count);
};
