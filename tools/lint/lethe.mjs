/**
 * Lint rules that oxlint has no name for.
 * @typedef {{ type: string, name?: string, callee: any, arguments: unknown[], object: any, property: any, computed: boolean }} Node
 * @typedef {{ report(finding: { node: Node, message: string }): void }} Context
 */

const clock = 'only the lab reads a clock; take the time, or a pause, as an argument';

const noClock = {
  /** @param {Context} context */
  create(context) {
    /** @param {Node} node */
    const isDate = (node) => node.callee.type === 'Identifier' && node.callee.name === 'Date';
    return {
      /** @param {Node} node `Date()` ignores its arguments and tells the time */
      CallExpression(node) {
        if (isDate(node)) context.report({ node, message: clock });
      },
      /** @param {Node} node `new Date(text)` is fine */
      NewExpression(node) {
        if (isDate(node) && node.arguments.length === 0) context.report({ node, message: clock });
      },
    };
  },
};

const banned = new Set(['Date', 'Math', 'performance', 'process', 'Buffer', 'setTimeout', 'setInterval']);

/** `globalThis.Math.random()` would slip past the rules that look for `Math.random`. */
const noGlobalDetour = {
  /** @param {Context} context */
  create(context) {
    return {
      /** @param {Node} node */
      MemberExpression(node) {
        const name = node.computed ? node.property.value : node.property.name;
        if (node.object.type === 'Identifier' && node.object.name === 'globalThis' && banned.has(name)) {
          context.report({ node, message: `name ${name} directly, so that the rules about it can see it` });
        }
      },
    };
  },
};

export default { meta: { name: 'lethe' }, rules: { 'no-clock': noClock, 'no-global-detour': noGlobalDetour } };
