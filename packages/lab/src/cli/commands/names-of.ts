/** The keys of a table whose type makes the compiler ask for every name there is. */
export const namesOf = <Name extends string>(names: Readonly<Record<Name, true>>): readonly Name[] =>
  Object.keys(names) as Name[];
