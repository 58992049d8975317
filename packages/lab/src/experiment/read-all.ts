import { errorAt } from '@lethe/numerics';
import { InvalidParameter, LetheError, parseOrThrow, type Registry } from '@lethe/core';
import type { LoadedPlugins } from '../plugins/load-plugins.js';
import { namesPlugins, pluginsIn } from '../plugins/plugins-in.js';
import { withPlugins } from '../plugins/with-plugins.js';
import { registry as shipped } from '../registry.js';
import { mistakesInExperiment, mistakesInParts } from './check.js';
import { issuesOf, mistakeText, type Issue, type Mistake } from './mistake.js';
import { placesIn } from './places.js';
import { contentIn, textOf } from './read.js';
import { experimentSchema, type Experiment } from './schema.js';
import { setValues, settingsIn, type Setting } from './set-values.js';
import { expanded } from './sweeps.js';

/** An experiment with its file and its registry. */
export interface ReadExperiment {
  readonly path: string;
  /** With every optimizer at each of the settings that lists of its parameters stand for. */
  readonly experiment: Experiment;
  /** Shipped plugins and those of `loaded`. */
  readonly registry: Registry;
  readonly loaded: readonly LoadedPlugins[];
}

/** What is changed in all files that are read. */
export interface ReadOptions {
  /** Plugin modules for all files. */
  readonly given?: readonly LoadedPlugins[];
  /** `PATH=VALUE` of `--set`. */
  readonly set?: readonly string[];
  /** Whether modules that a file names are loaded, or the file is refused. @defaultValue `load` */
  readonly named?: 'load' | 'refuse';
}

/**
 * Reads and checks experiment files with the plugins they name, all of them before any runs. The mistakes of
 * all files are reported together; for a malformed file, also those of the problems and
 * optimizers that have the right form.
 *
 * @throws {InvalidParameter} with a line for every mistake: the file, the place in it, what is wrong.
 */
export async function readAll(
  paths: readonly string[],
  options: ReadOptions = {},
): Promise<readonly ReadExperiment[]> {
  const all = await Promise.all(paths.map(async (path) => readOne(path, options)));
  const mistakes = [...new Set(all.flatMap((one) => one.mistakes.map(mistakeText)))];
  if (mistakes.length > 0) throw new InvalidParameter(mistakes.join('\n'), { mistakes });
  return all.flatMap(({ read }) => read ?? []);
}

/** What became of a file: an experiment, or its mistakes. */
export interface Reading {
  readonly read: ReadExperiment | null;
  readonly mistakes: readonly Mistake[];
}

/** Reads and checks one experiment file; mistakes are returned, in their order in the file. */
export async function readOne(path: string, options: ReadOptions = {}): Promise<Reading> {
  try {
    return await readText(textOf(path), path, options);
  } catch (error) {
    return failed(error, path);
  }
}

/** As {@link readOne}, of a text that a file at the path would hold. */
export async function readText(
  text: string,
  path: string,
  { given = [], set = [], named = 'load' }: ReadOptions = {},
): Promise<Reading> {
  let content: unknown;
  let registry: Registry | undefined;
  try {
    content = setValues(contentIn(text, path), set);
    if (named === 'refuse' && namesPlugins(content))
      throw new InvalidParameter('it names plugins; give them to both sides with --plugin', { path });
    const loaded = [...given, ...(await pluginsIn(content, text, path))];
    registry = withPlugins(shipped, loaded);
    const experiment = parseOrThrow(experimentSchema, content, path);
    const mistakes = placed(mistakesInExperiment(experiment, registry), path, text, settingsIn(content, set));
    if (mistakes.length > 0) return { read: null, mistakes };
    const whole = experiment.kind === 'evaluation' ? expanded(experiment, registry) : experiment;
    return { read: { path, experiment: whole, registry, loaded }, mistakes };
  } catch (error) {
    const issues = issuesOf(error);
    if (issues !== null && registry !== undefined) {
      const meant = issues.some((one) => one.path.join('.') === 'kind') ? ofMeantKind(content) : null;
      const parts = mistakesInParts(meant?.content ?? content, registry);
      const more = meant === null ? [] : meant.issues;
      return {
        read: null,
        mistakes: placed([...issues, ...more, ...parts], path, text, settingsIn(content, set)),
      };
    }
    const { mistakes } = failed(error, path);
    return {
      read: null,
      mistakes: [...mistakes, ...placed(issuesOfForm(content), path, text, settingsIn(content, set))],
    };
  }
}

/**
 * What is wrong with the form of a file whose plugins cannot be loaded, so that names cannot be looked up.
 */
function issuesOfForm(content: unknown): readonly Issue[] {
  if (content === undefined) return [];
  try {
    parseOrThrow(experimentSchema, content, 'the file');
    return [];
  } catch (error) {
    const issues = issuesOf(error) ?? [];
    const isKind = issues.some((one) => one.path.join('.') === 'kind');
    return [...issues, ...((isKind ? ofMeantKind(content) : null)?.issues ?? [])];
  }
}

/**
 * A file without a kind, or with one that there is not, as one of the kind that its keys are of, and what is
 * wrong with it then; `null` where they tell no kind.
 */
function ofMeantKind(
  content: unknown,
): { readonly content: object; readonly issues: readonly Issue[] } | null {
  if (typeof content !== 'object' || content === null) return null;
  const tried = ['evaluation', 'release', 'mean', 'mean-error'].map((kind) => {
    const meant = { ...content, kind };
    const { error } = experimentSchema.safeParse(meant);
    const unknown = (error?.issues ?? []).flatMap((one) =>
      one.code === 'unrecognized_keys' && one.path.length === 0 ? one.keys : [],
    );
    return { meant, unknown: unknown.length };
  });
  const least = Math.min(...tried.map(({ unknown }) => unknown));
  const [found, ...others] = tried.filter(({ unknown }) => unknown === least);
  if (others.length > 0) return null;
  try {
    parseOrThrow(experimentSchema, found.meant, 'the file');
  } catch (error) {
    return { content: found.meant, issues: issuesOf(error) ?? [] };
  }
  return { content: found.meant, issues: [] };
}

/** The lines of an error about a file as its mistakes. @throws `error` if it is not one of Lethe. */
export function failed(error: unknown, path: string): Reading & { readonly read: null } {
  const about = errorAt(path, error);
  if (!(about instanceof LetheError)) throw error;
  const messages = about.message.split('\n');
  return {
    read: null,
    mistakes: messages.map((line) => ({
      file: path,
      place: null,
      path: '',
      message: withoutName(line, path),
    })),
  };
}

/** A message without the file's name at its beginning. */
const withoutName = (line: string, path: string): string =>
  line.startsWith(path) ? withoutName(line.slice(path.length).replace(/^:? /u, ''), path) : line;

/**
 * Issues with their places in a file, in the order of the file. What `--set` brought has no place: its
 * message ends with the setting.
 */
export function placed(
  issues: readonly Issue[],
  file: string,
  text: string,
  set: readonly Setting[] = [],
): readonly Mistake[] {
  const placeOf = placesIn(text);
  const all = issues.map((issue) => {
    const { path, message, keys, at = path } = issue;
    const setting = settingOf(issue, set);
    return {
      file,
      place: setting === undefined ? placeOf(at, keys) : null,
      path: path.join('.'),
      message: setting === undefined ? message : `${message} (--set ${setting})`,
    };
  });
  const distinct = new Map(all.map((mistake) => [mistakeText(mistake), mistake]));
  return [...distinct.values()].toSorted(
    (a, b) => (a.place?.line ?? 0) - (b.place?.line ?? 0) || (a.place?.column ?? 0) - (b.place?.column ?? 0),
  );
}

/** The setting that brought what is wrong: its path leads to it, or through a key that is not known. */
function settingOf({ path, keys = [], at = path }: Issue, set: readonly Setting[]): string | undefined {
  const wrong = [...at, ...keys.slice(0, 1)];
  const leads = (from: readonly string[], to: readonly string[]): boolean =>
    from.length > 0 && from.every((part, i) => part === to[i]);
  return set.find(({ path: parts }) => leads(parts, wrong) || (keys.length > 0 && leads(wrong, parts)))
    ?.setting;
}
