/** Doubles that are appended one after another, without an object for each and without holes. */
export interface NumberList {
  /** At least as long as the list. */
  values: Float64Array;
  length: number;
}

export const newNumberList = (): NumberList => ({ values: new Float64Array(16), length: 0 });

/** Makes room for `more` numbers behind the last. */
export function ensureNumbers(list: NumberList, more: number): void {
  if (list.length + more <= list.values.length) return;
  const wider = new Float64Array(Math.max(2 * list.values.length, list.length + more));
  wider.set(list.values.subarray(0, list.length));
  list.values = wider;
}

/** Appends one number. */
export function appendNumber(list: NumberList, value: number): void {
  ensureNumbers(list, 1);
  list.values[list.length++] = value;
}

/** The numbers, in an array of their own. */
export const numbersOf = ({ values, length }: NumberList): Float64Array => values.slice(0, length);
