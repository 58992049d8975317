/** One place where two plain values differ; `undefined` where a value has no such place. */
interface Difference {
  /** Keys from the root, such as `parts[0].event.sigma`; empty for the root. */
  readonly path: string;
  readonly here: unknown;
  readonly there: unknown;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/**
 * The places where two plain values differ, in the order of their keys.
 *
 * @param most - Places listed at most.
 */
export function differences(here: unknown, there: unknown, most = 8): readonly Difference[] {
  const found: Difference[] = [];
  const visit = (a: unknown, b: unknown, path: string): void => {
    if (found.length >= most || Object.is(a, b)) return;
    if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) {
      found.push({ path, here: a, there: b });
      return;
    }
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const step = Array.isArray(a) ? `[${key}]` : key;
      const joint = path === '' || Array.isArray(a) ? '' : '.';
      visit(a[key], b[key], `${path}${joint}${step}`);
    }
  };
  visit(here, there, '');
  return found;
}
