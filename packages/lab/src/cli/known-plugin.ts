import { InvalidParameter, type PluginKind, type Registry } from '@lethe/core';
import { nearestName } from '@lethe/numerics';

/** What a name of the command line should be the name of. */
interface Wanted {
  readonly kind: PluginKind;
  readonly registry: Registry;
  /** Option that gave the name, at the beginning of the message. @defaultValue none */
  readonly where?: string;
}

/**
 * @throws {InvalidParameter} for a name that no plugin of the kind has; the message names a few that are
 * spelt like it, and the command that lists all.
 */
export function assertKnown(name: string | undefined, { kind, registry, where = '' }: Wanted): void {
  const known = registry.flatMap((one) => (one.kind === kind ? [one.name] : []));
  if (name === undefined || known.includes(name)) return;
  const meant = nearestName(name, known);
  // The shortest names that contain it, or the one that is spelt like it.
  const containing = known
    .filter((one) => one.includes(name.toLowerCase()))
    .toSorted((a, b) => a.length - b.length);
  const alike = containing.length > 0 ? containing.slice(0, 3) : [meant].filter((one) => one !== undefined);
  throw new InvalidParameter(
    `${where}there is no ${kind} '${name}'; ` +
      (alike.length === 0 ? '' : `is ${alike.map((one) => `'${one}'`).join(' or ')} meant? `) +
      `lethe plugins --kind ${kind} lists all ${known.length}, with what each does`,
    { [kind]: name },
  );
}
