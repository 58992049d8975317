import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

interface Declared {
  readonly bin?: string | Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** The folder that `name` resolves to from `from`: in the nearest `node_modules` above, `top` included. */
function resolved(name: string, from: string, top: string): string | undefined {
  for (let place = from; place.length >= top.length; place = dirname(place)) {
    const found = join(place, 'node_modules', name);
    if (existsSync(found)) return found;
  }
  return undefined;
}

/**
 * Links the files of one package, its nested `node_modules` left
 * out. Symbolic links would be resolved from where they lead.
 */
export function linkPackage(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.isDirectory() && entry.name !== 'node_modules')
      linkPackage(join(from, entry.name), join(to, entry.name));
    else if (entry.isFile() && !existsSync(join(to, entry.name)))
      linkFile(join(from, entry.name), join(to, entry.name));
  }
}

/** Links one file, or copies it to another volume. */
export function linkFile(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    copyFileSync(from, to);
  }
}

const declaredBy = (place: string): Declared =>
  JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as Declared;

/**
 * Copies an installed package, what it declares and what that declares, each to the place where it is
 * installed: what a package manager would install for that package alone. What is declared and not installed
 * is left out.
 *
 * @param name - Installed at the top of `installed`.
 * @param installed - A project, with `node_modules`.
 * @param folder - A project too.
 * @param copy - Copies one package from one folder to another. @defaultValue by hard links
 */
export function copyClosure(
  name: string,
  installed: string,
  folder: string,
  copy: (from: string, to: string) => void = linkPackage,
): void {
  const top = resolve(installed);
  const placed = new Set<string>();
  const place = (dependency: string, from: string): void => {
    const found = resolved(dependency, from, top);
    if (found === undefined || placed.has(found)) return;
    placed.add(found);
    copy(found, join(folder, relative(top, found)));
    const { dependencies, optionalDependencies, peerDependencies } = declaredBy(found);
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
      place(next, found);
  };
  place(name, top);
}

/** The commands of a package that is in `node_modules` of a project, where `npx` finds them. */
export function linkCommands(name: string, folder: string): void {
  const { bin = {} } = declaredBy(join(folder, 'node_modules', name));
  const commands = typeof bin === 'string' ? { [name]: bin } : bin;
  const place = join(folder, 'node_modules/.bin');
  mkdirSync(place, { recursive: true });
  for (const [command, file] of Object.entries(commands))
    symlinkSync(join('..', name, file), join(place, command));
}
