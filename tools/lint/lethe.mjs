/**
 * Lint rules that oxlint has no name for.
 * @typedef {{ type: string, name?: string, callee: any, arguments: unknown[], object: any, property: any, computed: boolean }} Node
 * @typedef {{ start: { line: number, column: number }, end: { line: number, column: number } }} Range
 * @typedef {{ value: string, loc: Range }} Comment
 * @typedef {{ report(finding: { node: Node | Comment, message: string }): void, sourceCode: { lines: string[], getAllComments(): Comment[] } }} Context
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

const widest = 120;

/** The formatter breaks code at its width and leaves comments as they are. */
const commentWidth = {
  /** @param {Context} context */
  create(context) {
    return {
      Program() {
        const { lines } = context.sourceCode;
        for (const comment of context.sourceCode.getAllComments()) {
          // A directive, or a link, cannot be broken.
          if (/oxlint-|https?:\/\/\S{60}|@\w+ \{\{?|@type\b/.test(comment.value)) continue;
          for (let line = comment.loc.start.line; line <= comment.loc.end.line; line++) {
            const { length } = lines[line - 1];
            const ends = line === comment.loc.end.line ? comment.loc.end.column : length;
            if (ends > widest) {
              context.report({
                node: comment,
                message: `a line of this comment has ${ends} characters; ${widest} are allowed`,
              });
              break;
            }
          }
        }
      },
    };
  },
};

export default {
  meta: { name: 'lethe' },
  rules: { 'no-clock': noClock, 'no-global-detour': noGlobalDetour, 'comment-width': commentWidth },
};
