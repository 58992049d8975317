import { InvalidParameter, parseOrThrow, type Registry } from '@lethe/core';
import { mistakesInParts } from '../experiment/check.js';
import { issuesOf, mistakeText, type Mistake } from '../experiment/mistake.js';
import { failed, placed } from '../experiment/read-all.js';
import { contentIn, textOf } from '../experiment/read.js';
import { setValues } from '../experiment/set-values.js';
import type { LoadedPlugins } from '../plugins/load-plugins.js';
import { pluginsIn } from '../plugins/plugins-in.js';
import { withPlugins } from '../plugins/with-plugins.js';
import { registry as shipped } from '../registry.js';
import { federationSchema, withOwnFile, type Federation } from './federation-schema.js';

/** A federated run with its registry, or the mistakes in its file. */
export type FederationReading =
  | { readonly read: { readonly experiment: Federation; readonly registry: Registry } }
  | { readonly read: null; readonly mistakes: readonly Mistake[] };

/** Whether a file's content says that it is a federated run. */
export const isFederation = (content: unknown): boolean =>
  typeof content === 'object' && content !== null && 'kind' in content && content.kind === 'federation';

/** Reads the file of a federated run, JSON or YAML by its extension; all its mistakes are returned. */
export async function checkedFederation(
  path: string,
  {
    given = [],
    set = [],
  }: { readonly given?: readonly LoadedPlugins[]; readonly set?: readonly string[] } = {},
): Promise<FederationReading> {
  try {
    const text = textOf(path);
    const content = setValues(contentIn(text, path), set);
    const registry = withPlugins(shipped, [...given, ...(await pluginsIn(content, text, path))]);
    const { problem, optimizer } = (content ?? {}) as Readonly<Record<string, unknown>>;
    const parts = mistakesInParts({ kind: 'release', problem: withOwnFile(problem), optimizer }, registry);
    try {
      const experiment = parseOrThrow(federationSchema, content, path);
      return parts.length === 0
        ? { read: { experiment, registry } }
        : { read: null, mistakes: placed(parts, path, text) };
    } catch (error) {
      const issues = issuesOf(error);
      if (issues === null) throw error;
      return { read: null, mistakes: placed([...issues, ...parts], path, text) };
    }
  } catch (error) {
    return failed(error, path);
  }
}

/**
 * {@link checkedFederation} for a run.
 *
 * @throws {InvalidParameter} with a line for every mistake: the file, the place in it, what is wrong.
 */
export async function readFederation(
  path: string,
): Promise<{ readonly experiment: Federation; readonly registry: Registry }> {
  const reading = await checkedFederation(path);
  if (reading.read !== null) return reading.read;
  throw new InvalidParameter(reading.mistakes.map(mistakeText).join('\n'), { mistakes: reading.mistakes });
}
