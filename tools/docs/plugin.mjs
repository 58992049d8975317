// A plugin of typedoc for this repository's site: parameters of Lethe's plugins on their pages, and titles
// and groups of its Markdown documents.
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Comment, CommentTag, Converter, ReferenceType, ReflectionKind } from 'typedoc';
import { parametersOf } from './parameters.mjs';

const root = join(import.meta.dirname, '../..');
/** The module of types that exports mention and packages keep to themselves. */
const internal = 'internal types';
const folders = readdirSync(join(root, 'packages'));
const groups = { guide: 'Guides', papers: 'Papers', decisions: 'Decisions' };

/** @param {import('typedoc').Application} app */
export async function load(app) {
  const plugins = await shippedPlugins();
  // Types of the other packages have pages of their own.
  app.converter.on(Converter.EVENT_BEGIN, () => {
    const own = basename(app.options.packageDir);
    const others = folders
      .filter((folder) => folder !== own)
      .map((folder) => join(root, 'packages', folder, '**'));
    app.options.setValue('externalPattern', ['**/node_modules/**', ...others]);
  });
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, document) => {
    const path = document.project.files.getReflectionPath(document) ?? '';
    const text = readFileSync(path, 'utf8');
    document.name = /^# (.*)$/mu.exec(text)?.[1].replaceAll('`', '') ?? basename(path);
    const [folder, kind] = relative(root, path).split('/');
    document.frontmatter.group = folder === 'docs' ? groups[kind] : 'Project';
  });
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    const known = plugins.get(project.packageName);
    if (known === undefined) return;
    for (const reflection of Object.values(project.reflections)) {
      const plugin = known.get(reflection.name);
      if (plugin === undefined || !isTopLevel(reflection)) continue;
      const described = reflection.signatures?.[0] ?? reflection;
      described.comment ??= new Comment();
      described.comment.blockTags.push(
        new CommentTag('@plugin', [{ kind: 'text', text: parametersOf(plugin) }]),
      );
      // The schema stands in the table.
      if (reflection.type instanceof ReferenceType) {
        for (const argument of reflection.type.typeArguments ?? []) project.removeTypeReflections(argument);
        reflection.type.typeArguments = undefined;
      }
    }
  });
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    for (const reflection of undescribed(project))
      app.logger.warn(`${project.packageName}: ${reflection.getFriendlyFullName()} has no comment`);
  });
}

/**
 * Exports, and methods of exported interfaces, that nothing describes. Parts of object literals need no
 * comment.
 */
function undescribed(project) {
  return Object.values(project.reflections).filter((reflection) => {
    if (!reflection.kindOf?.(described) || !isExported(reflection)) return false;
    const { signatures = [], type, parent } = reflection;
    const own = [...signatures, ...(type?.declaration?.signatures ?? [])];
    const isMember = parent.kindOf(ReflectionKind.Interface);
    if (isMember && own.length === 0) return false;
    return ![reflection, ...own].some((one) => one.hasComment());
  });
}

const described =
  ReflectionKind.Variable |
  ReflectionKind.Function |
  ReflectionKind.Interface |
  ReflectionKind.TypeAlias |
  ReflectionKind.Method |
  ReflectionKind.Property;

/** Whether only modules and exported interfaces are around it. */
function isExported({ parent }) {
  for (let at = parent; !at.isProject(); at = at.parent) {
    if (at.kindOf(ReflectionKind.Interface)) continue;
    if (!at.kindOf(ReflectionKind.Module | ReflectionKind.Namespace) || at.name === internal) return false;
  }
  return true;
}

const isTopLevel = ({ parent }) => parent?.isProject() || parent?.parent?.isProject();

/** Plugins that packages export, by package and name of the export. */
async function shippedPlugins() {
  const found = new Map();
  for (const folder of folders) {
    const manifest = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'));
    const entries = Object.values(manifest.exports ?? {}).flatMap((one) =>
      typeof one === 'object' && one.default?.endsWith('.js') && !one.default.includes('*')
        ? [one.default]
        : [],
    );
    const known = new Map();
    for (const entry of entries) {
      const module = await import(pathToFileURL(join(root, 'packages', folder, entry)).href);
      for (const [name, value] of Object.entries(module)) if (isPlugin(value)) known.set(name, value);
    }
    found.set(manifest.name, known);
  }
  return found;
}

const isPlugin = (value) =>
  (typeof value === 'object' || typeof value === 'function') &&
  value !== null &&
  typeof value.kind === 'string' &&
  typeof value.summary === 'string' &&
  typeof value.params === 'object';
