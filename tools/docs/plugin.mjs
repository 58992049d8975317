// A plugin of typedoc for this repository's site: parameters of Lethe's plugins on their pages, titles and
// groups of its Markdown documents, and a warning for every export without a comment.
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  Comment,
  CommentTag,
  Converter,
  DeclarationReflection,
  ReferenceType,
  ReflectionKind,
  ReflectionType,
} from 'typedoc';
import { parametersOf } from './parameters.mjs';

/** @typedef {import('@lethe/core').Plugin} Plugin */
/** @typedef {import('typedoc').Reflection} Reflection */

const root = join(import.meta.dirname, '../..');
/** The module of types that exports mention and packages keep to themselves. */
const internal = 'internal types';
const folders = readdirSync(join(root, 'packages'));
/** @type {Readonly<Record<string, string>>} */
const groups = { guide: 'Guides', papers: 'Papers', decisions: 'Decisions' };

/** @param {import('typedoc').Application} app */
export async function load(app) {
  const plugins = await shippedPlugins();
  // Types of the other packages have pages of their own.
  app.converter.on(Converter.EVENT_BEGIN, () => {
    const own = basename(app.options.packageDir ?? '');
    const others = folders
      .filter((folder) => folder !== own)
      .map((folder) => join(root, 'packages', folder, '**'));
    app.options.setValue('externalPattern', ['**/node_modules/**', ...others]);
  });
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, document) => {
    const path = document.project.files.getReflectionPath(document) ?? '';
    const [, title = basename(path)] = /^# (.*)$/mu.exec(readFileSync(path, 'utf8')) ?? [];
    document.name = title.replaceAll('`', '');
    const [folder, kind] = relative(root, path).split('/');
    document.frontmatter['group'] = folder === 'docs' ? groups[kind] : 'Project';
  });
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    const known = plugins.get(project.packageName ?? '');
    for (const reflection of Object.values(project.reflections)) {
      const plugin = known?.get(reflection.name);
      if (plugin === undefined || !(reflection instanceof DeclarationReflection) || !isTopLevel(reflection))
        continue;
      const described = reflection.signatures?.[0] ?? reflection;
      described.comment ??= new Comment();
      described.comment.blockTags.push(
        new CommentTag('@plugin', [{ kind: 'text', text: parametersOf(plugin) }]),
      );
      // The schema stands in the table.
      if (!(reflection.type instanceof ReferenceType)) continue;
      for (const argument of reflection.type.typeArguments ?? []) project.removeTypeReflections(argument);
      reflection.type.typeArguments = [];
    }
  });
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    for (const reflection of Object.values(project.reflections))
      if (isUndescribed(reflection))
        app.logger.warn(
          /** @type {import('typedoc').TranslatedString} */ (
            `${project.packageName}: ${reflection.getFriendlyFullName()} has no comment`
          ),
        );
  });
}

const describable =
  ReflectionKind.Variable |
  ReflectionKind.Function |
  ReflectionKind.Interface |
  ReflectionKind.TypeAlias |
  ReflectionKind.Method |
  ReflectionKind.Property;

/**
 * Whether an export, or a method of an exported interface, has no comment. Parts of object literals need
 * none.
 *
 * @param {Reflection} reflection
 */
function isUndescribed(reflection) {
  if (!(reflection instanceof DeclarationReflection)) return false;
  if (!reflection.kindOf(describable) || !isExported(reflection)) return false;
  const { signatures = [], type, parent } = reflection;
  const inType = type instanceof ReflectionType ? (type.declaration.signatures ?? []) : [];
  const own = [...signatures, ...inType];
  if (parent?.kindOf(ReflectionKind.Interface) && own.length === 0) return false;
  return ![reflection, ...own].some((one) => one.hasComment());
}

/**
 * Whether only modules and interfaces are around it.
 *
 * @param {Reflection} reflection
 */
function isExported({ parent }) {
  for (let at = parent; at !== undefined && !at.isProject(); at = at.parent) {
    if (at.kindOf(ReflectionKind.Interface)) continue;
    if (!at.kindOf(ReflectionKind.Module | ReflectionKind.Namespace) || at.name === internal) return false;
  }
  return true;
}

/** @param {Reflection} reflection */
const isTopLevel = ({ parent }) => parent?.isProject() === true || parent?.parent?.isProject() === true;

/** Plugins that packages export, by package and name of the export. */
async function shippedPlugins() {
  /** @type {Map<string, ReadonlyMap<string, Plugin>>} */
  const found = new Map();
  for (const folder of folders) {
    const manifest = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'));
    /** @type {Map<string, Plugin>} */
    const known = new Map();
    for (const one of Object.values(manifest.exports ?? {})) {
      const entry = typeof one === 'object' ? one.default : undefined;
      if (!entry?.endsWith('.js') || entry.includes('*')) continue;
      const module = await import(pathToFileURL(join(root, 'packages', folder, entry)).href);
      for (const [name, value] of Object.entries(module)) if (isPlugin(value)) known.set(name, value);
    }
    found.set(manifest.name, known);
  }
  return found;
}

/**
 * @param {any} value
 * @returns {value is Plugin}
 */
const isPlugin = (value) =>
  (typeof value === 'object' || typeof value === 'function') &&
  value !== null &&
  typeof value.kind === 'string' &&
  typeof value.summary === 'string' &&
  typeof value.params === 'object';
