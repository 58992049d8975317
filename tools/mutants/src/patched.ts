import { fileURLToPath } from 'node:url';

/** A text of a file in the `src` folder of its package, and what stands in its place. */
export interface Patch {
  readonly file: string;
  /** It is there once. */
  readonly find: string;
  readonly put: string;
}

const packages = fileURLToPath(new URL('../../../packages/', import.meta.url));

/**
 * A module of a package with bugs in its sources: the shipped code, but for these texts. The modules of its
 * package are loaded anew, those of other packages are everybody's.
 *
 * @param entry - Path of the module, from the folder of packages: `accountants/src/pld/pld.ts`.
 * @throws for a text that is not there once.
 */
export const patched = async <Module>(entry: string, patches: readonly Patch[]): Promise<Module> => {
  const query = Buffer.from(JSON.stringify(patches)).toString('base64url');
  return (await import(/* @vite-ignore */ `${packages}${entry}?patched=${query}`)) as Module;
};
