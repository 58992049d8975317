/**
 * Lint rules that oxlint has no name for.
 * @typedef {{ type: string, name?: string, callee: any, arguments: unknown[], object: any, property: any,
 * computed: boolean }} Node
 * @typedef {{ start: { line: number, column: number }, end: { line: number, column: number } }} Range
 * @typedef {{ value: string, loc: Range }} Comment
 * @typedef {{ report(finding: ({ node: Node } | { loc: Range }) & { message: string }): void, sourceCode: {
 * lines: string[], getAllComments(): Comment[] } }} Context
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

const widest = 110;
const testCalls = new Set(['it', 'test', 'describe']);

/** @param {any} callee @returns {string | undefined} the first name of `it`, `it.only`, `it.each(table)` */
const nameOf = (callee) => callee.name ?? nameOf(callee.object ?? callee.callee ?? { name: '' });

/**
 * The formatter breaks code at its width, and leaves comments, strings and templates as they are. Some text
 * has to stand as it is: templates of several lines and tagged ones, regular expressions, module names,
 * titles of tests, tables and links in comments.
 */
const lineWidth = {
  /** @param {Context} context */
  create(context) {
    const { lines } = context.sourceCode;
    /** @type {Set<number>} */
    const excepted = new Set();
    /** @param {{ loc: Range }} node */
    const except = ({ loc }) => {
      for (let line = loc.start.line; line <= loc.end.line; line++) excepted.add(line);
    };
    return {
      /** @param {any} node */
      TemplateLiteral(node) {
        if (node.loc.end.line > node.loc.start.line) except(node);
      },
      /** @param {any} node */
      TaggedTemplateExpression: except,
      /** @param {any} node */
      Literal(node) {
        if (node.regex !== undefined && node.regex !== null) except(node);
      },
      /** @param {any} node */
      ImportDeclaration: ({ source }) => except(source),
      /** @param {any} node */
      CallExpression(node) {
        if (testCalls.has(nameOf(node.callee) ?? '') && node.arguments[0] !== undefined)
          except(node.arguments[0]);
      },
      'Program:exit'() {
        for (const { value, loc } of context.sourceCode.getAllComments())
          value.split('\n').forEach((text, i) => {
            // A directive, a link, a table or a type cannot be broken.
            if (/oxlint-|https?:\/\/\S{60}|@(?!throws)\w+ \{|^\s*\* \|/u.test(text))
              excepted.add(loc.start.line + i);
          });
        lines.forEach((text, index) => {
          const line = index + 1;
          const { length } = [...text];
          if (length > widest && !excepted.has(line))
            context.report({
              loc: { start: { line, column: widest }, end: { line, column: text.length } },
              message: `this line has ${length} characters; ${widest} are allowed: break its text`,
            });
        });
      },
    };
  },
};

export default {
  meta: { name: 'lethe' },
  rules: { 'no-clock': noClock, 'no-global-detour': noGlobalDetour, 'line-width': lineWidth },
};
