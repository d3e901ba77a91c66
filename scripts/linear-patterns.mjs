import regexp from 'eslint-plugin-regexp';

/**
 * Rules that refuse regular expressions whose time grows faster than the text: by backtracking, or by looking again from
 * every place. What a client sends would block the event loop with them.
 */
export const linearPatterns = {
  plugins: { regexp },
  rules: {
    'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
    'regexp/no-super-linear-move': ['error', { report: 'potential' }],
  },
};

/** Selectors of patterns that are put together from texts, which the rules above do not see. */
export const madePatterns = [
  {
    selector: ":matches(NewExpression, CallExpression)[callee.name='RegExp']",
    message:
      'Write a literal, which the linter checks, or put it together with composedPattern() of src/common/text/patterns.ts, which a test checks.',
  },
];
