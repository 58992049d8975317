import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Node, type Pair } from 'yaml';

/** Where something stands in a file; both are counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/**
 * Finds parts of a file by their path, the parts of a key that holds dots one by one. A part that is not
 * there is found where the last part of its path that is there begins.
 *
 * @param text - YAML, or JSON, which is YAML too; parsed before, so that it is known to be small.
 */
export function placesIn(text: string): (path: readonly string[], keys?: readonly string[]) => Place {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, logLevel: 'error' });
  const resolved = (node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node);
  const placeOf = (node: unknown, otherwise: number): number =>
    (node as Node | null)?.range?.[0] ?? otherwise;
  return (path, keys = []) => {
    let node: unknown = document.contents;
    let offset = placeOf(node, 0);
    let at = 0;
    while (at < path.length) {
      const found = stepInto(resolved(node), path.slice(at));
      if (found === null) break;
      at += found.length;
      node = found.node;
      offset = placeOf(found.key, placeOf(node, offset));
    }
    const [key] = keys;
    const stray = key === undefined || at < path.length ? null : stepInto(resolved(node), [key]);
    if (stray !== null) offset = placeOf(stray.key, offset);
    else if (at === path.length && isScalar(node)) offset = placeOf(node, offset);
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
}

interface Step {
  readonly node: unknown;
  /** What is pointed at: a key, or the item of a list. */
  readonly key: unknown;
  /** How many parts of the path it takes. */
  readonly length: number;
}

/** The first step along a path: an item of a list, or the value of the longest key. */
function stepInto(node: unknown, path: readonly string[]): Step | null {
  if (isSeq(node)) {
    const item: unknown = node.items[Number(path[0])];
    return item === undefined ? null : { node: item, key: item, length: 1 };
  }
  if (!isMap(node)) return null;
  for (let length = path.length; length > 0; length--) {
    const name = path.slice(0, length).join('.');
    const pair = node.items.find(({ key }: Pair) => isScalar(key) && String(key.value) === name);
    if (pair !== undefined) return { node: pair.value, key: pair.key, length };
  }
  return null;
}
