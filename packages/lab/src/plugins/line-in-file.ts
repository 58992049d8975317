import { isNode, LineCounter, parseDocument } from 'yaml';

/**
 * The line, counted from 1, on which a part of an experiment stands; `undefined` where it cannot be told.
 *
 * @param text - YAML, or JSON, which is YAML too. Parsed before: it is known to be small.
 */
export function lineInFile(text: string, path: readonly (string | number)[]): number | undefined {
  const lines = new LineCounter();
  const node = parseDocument(text, { lineCounter: lines, logLevel: 'error' }).getIn(path, true);
  return isNode(node) && node.range ? lines.linePos(node.range[0]).line : undefined;
}
