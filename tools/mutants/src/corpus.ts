import type { Mutant, Tight } from './mutant.js';

/** What every folder of this tree exports. */
interface Folder { readonly [name: string]: unknown }

const isMutant = (value: unknown): value is Mutant => typeof value === 'object' && value !== null && 'killedBy' in value;
const isTight = (value: unknown): value is Tight => typeof value === 'object' && value !== null && 'plant' in value && !('killedBy' in value);
const each = <T>(folders: Record<string, Folder>, is: (value: unknown) => value is T): readonly T[] => Object.values(folders).flatMap((folder) => Object.values(folder).filter(is));
const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);

/** Every mutant, by id. Files are found by their place: a new one needs no list. */
export const mutants: readonly Mutant[] = each(import.meta.glob<Folder>(['./*/*.ts', '!./*/index.ts', '!./reference/*', '!./tight/*', '!./**/*.test.ts'], { eager: true }), isMutant).toSorted(byId);

/** Every correct subject that no law may reject. */
export const tightSubjects: readonly Tight[] = each(import.meta.glob<Folder>('./tight/*.ts', { eager: true }), isTight).toSorted(byId);

/** The mutants that every accepted change must kill, by the list of the design; the others are beyond it. */
export const coreIds: readonly string[] = [
  'M01', 'M03', 'M05', 'M07', 'M08', 'M10', 'M12', 'M14', 'M17', 'M20', 'M22', 'M24',
  'A01', 'A02', 'A04', 'A06', 'A08', 'A09', 'A10',
  'C01', 'C02', 'C03', 'C04', 'C05', 'C06', 'C10', 'C11',
  'S01', 'S02', 'S03', 'S07',
  'T01', 'T02', 'T03',
  'O01', 'O02', 'O04',
  'L01', 'L04', 'L07',
];

/** The seeds on which a mutant must die. The first is that of every suite. */
export const seeds = ['lethe', 'lethe-2', 'lethe-3', 'lethe-4'] as const;
