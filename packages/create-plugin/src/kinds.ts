/**
 * What the laws of a kind need beside the plugin: lists of parts, each exported by the package of its name.
 */
const partsByKind = {
  mechanism: [],
  selector: [],
  clip: [],
  mean: ['mechanisms'],
  'local-randomiser': [],
  sketch: [],
  sampler: [],
  'prefix-sum': [],
  domain: [],
  regulariser: [],
  solver: [],
  event: [],
  accountant: [],
  loss: [],
  optimizer: ['mechanisms', 'losses'],
  'lower-bound': ['losses'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Every kind of plugin, in kebab-case; each has a template `templates/template-KIND.ts`. */
export const kinds: readonly string[] = Object.keys(partsByKind);

/** The lists of parts that laws of a kind need. */
export const partsFor = (kind: string): readonly string[] => partsByKind[kind as keyof typeof partsByKind];

/** `localRandomiser`, as kinds are written in code, or `local-randomiser`. */
export const kebabCase = (kind: string): string =>
  kind.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
