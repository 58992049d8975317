/** Parameters that are lengths, in the unit of the vectors. */
const radiusParameters = ['radius', 'radii'] as const;

/** The parameters with every radius multiplied by `by`; `null` where there is none. */
export function inUnit(params: unknown, by: number): object | null {
  const fields = (params ?? {}) as Readonly<Record<string, unknown>>;
  const scaled = radiusParameters.flatMap((name): [string, unknown][] => {
    const value = fields[name];
    if (typeof value === 'number') return [[name, value * by]];
    return Array.isArray(value) ? [[name, value.map((one) => Number(one) * by)]] : [];
  });
  return scaled.length === 0 ? null : { ...fields, ...Object.fromEntries(scaled) };
}
