import { InvalidParameter, type Loss, type Resolved } from '@lethe/core';

/**
 * What functions that compute with a loss are given: the plugin with
 * its parsed parameters, not the plugin alone nor a reference to it.
 *
 * @throws {InvalidParameter} which says what to pass instead.
 */
export function assertResolved(loss: Resolved<Loss>): void {
  const given: unknown = loss;
  const { plugin, params, name } = (given ?? {}) as {
    readonly plugin?: Partial<Loss>;
    readonly params?: unknown;
    readonly name?: unknown;
  };
  if (typeof plugin?.gradientInto === 'function' && typeof params === 'object' && params !== null) return;
  let what: string;
  if (plugin === undefined && typeof name === 'string') {
    if (typeof given === 'function') what = `the plugin '${name}' itself`;
    else what = `a reference to '${name}'`;
  } else if (plugin === undefined) what = 'no loss';
  else what = 'no plugin of kind loss with its parameters';
  throw new InvalidParameter(
    `the loss given is ${what}; give the plugin with its parameters, such as { plugin: squared, ` +
      'params: {} }, or what resolvePlugin(losses, squared({})) returns',
    { loss: typeof name === 'string' ? name : null },
  );
}
