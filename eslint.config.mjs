import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';
import { linearPatterns, madePatterns } from './scripts/linear-patterns.mjs';

/** What a selector of the syntax tree finds, and what to do instead. Later blocks replace the rule whole, so they join these lists. */
const environment = [
  {
    selector: "MemberExpression[object.name='process'][property.name='env']",
    message: 'The environment is read once, in src/config; inject Config.',
  },
  {
    selector: 'ImportDeclaration[source.value=/^(node:)?process$/]',
    message: 'The environment is read once, in src/config; `process` itself is a global.',
  },
];
const time = [
  {
    selector: "MemberExpression[object.name='Date'][property.name='now']",
    message: 'Ask the Clock: a test, or a user of the sandbox, moves it.',
  },
  {
    selector: ":matches(NewExpression, CallExpression)[callee.name='Date'][arguments.length=0]",
    message: 'Ask the Clock: a test, or a user of the sandbox, moves it.',
  },
];
const names = [
  {
    selector:
      ':matches(ClassDeclaration, TSInterfaceDeclaration, TSTypeAliasDeclaration)[id.name=/(Impl|Manager|Helper|Util)s?$/]',
    message: 'Name it after what it is.',
  },
];
const presenters = [
  {
    selector: "ObjectExpression[properties.0.type='SpreadElement'][properties.length>3]",
    message: 'Spread last: an object literal that begins with a spread takes Node 20 some 200 times as long (60 µs).',
  },
];
const SQL_ELSEWHERE =
  'SQL text stands in src/common and in `<thing>.statements.ts`. Elsewhere use `rows()` and `write()` on hot paths, and TypeORM repositories or its query builder otherwise.';
const SQL_TEXT =
  '/\\b(SELECT\\s+([*\\d"(]|(DISTINCT|EXISTS|FROM)\\b|\\S+\\s+FROM\\b)|INSERT\\s+INTO|DELETE\\s+FROM|UPDATE\\s+\\S+(\\s+\\w+)?\\s+SET|FOR\\s+(NO\\s+KEY\\s+)?UPDATE|FOR\\s+(KEY\\s+)?SHARE|ORDER\\s+BY\\s)/';
const sql = [
  { selector: 'CallExpression[callee.property.name=/^(bind|query|statement|whereSql)$/]', message: SQL_ELSEWHERE },
  { selector: `Literal[value=${SQL_TEXT}]`, message: SQL_ELSEWHERE },
  { selector: `TemplateElement[value.cooked=${SQL_TEXT}]`, message: SQL_ELSEWHERE },
];
const forwardRef = {
  name: '@nestjs/common',
  importNames: ['forwardRef'],
  message: 'It hides a cycle: move what both need into the lower domain.',
};
const runImport = { group: ['**/db/query/statement.js'], importNames: ['run'], message: SQL_ELSEWHERE };
const domainImport = {
  regex: '^\\.\\./(?!common/)',
  message: 'A migration stores the same for ever: copy the rule of the domain as it is today.',
};
const without = (...lists) => ({ 'no-restricted-syntax': ['error', ...lists.flat()] });

export default tseslint.config(
  // Clients of the service have a project of their own, whose packages are only there once its test has run.
  { ignores: ['**/dist/', 'node_modules/', 'coverage/', 'data/', 'test/generators/', 'packages/**/*.d.ts'] },
  // A rule that is wrong is changed here, for everybody; it is not switched off in passing.
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },
  eslint.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      // `async` also turns a throw into a rejection, which is reason enough to write it.
      '@typescript-eslint/require-await': 'off',
      // A type import of a DTO or of an injected class takes its validation or its injection away without a word.
      '@typescript-eslint/consistent-type-imports': 'off',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-restricted-imports': ['error', { paths: [forwardRef] }],
      ...without(names),
    },
  },
  {
    files: ['src/**/*.ts', 'ormconfig.ts'],
    rules: {
      ...without(names, environment, time, sql, madePatterns),
      'no-restricted-imports': ['error', { paths: [forwardRef], patterns: [runImport] }],
      // A rejection that nothing handles: `inBackground` logs and counts it.
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: false }],
      'max-lines': ['error', { max: 400 }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['src/common/**/*.ts', 'src/migrations/**/*.ts', 'src/**/*.statements.ts'],
    rules: {
      ...without(names, environment, time, madePatterns),
      'no-restricted-imports': ['error', { paths: [forwardRef] }],
    },
  },
  { files: ['src/**/*.presenter.ts'], rules: without(names, environment, time, sql, madePatterns, presenters) },
  // The service has one environment; the command line has that of its user besides.
  {
    files: ['src/config/*.ts', 'src/cli/environment.ts'],
    rules: without(names, time, sql, madePatterns),
  },
  { files: ['src/common/time/clock.ts'], rules: without(names, environment, madePatterns) },
  { files: ['src/common/text/patterns.ts'], rules: without(names, environment, time) },
  {
    files: ['src/migrations/**/*.ts'],
    rules: {
      'max-lines': 'off',
      'max-lines-per-function': 'off',
      'no-restricted-imports': ['error', { patterns: [domainImport] }],
    },
  },
  // Views are compiled into object literals: a loop over their fields takes ten times as long.
  { files: ['src/common/http/answers/present.ts'], rules: { '@typescript-eslint/no-implied-eval': 'off' } },
  // One pass over each byte of a body, whose state stays in local variables.
  { files: ['src/common/http/**/json-bounds.ts'], rules: { 'max-lines-per-function': 'off' } },
  // What the service, its command line and its pages do with texts takes a time that grows as they do.
  { files: ['src/**/*.ts', 'assets/**/*.js', 'bin/**/*.mjs', 'ormconfig.ts'], ...linearPatterns },
  // It compiles the code of fast-json-stringify with other keys, which comes from our schemas alone.
  {
    // Answers arrive as JSON here, and a test may look at whatever came.
    files: ['test/**/*.ts', 'bench/**/*.ts', 'scripts/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    // Loaded by the reference page.
    files: ['assets/**/*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'FormData',
          'SwaggerUIBundle',
          'TextEncoder',
          'URL',
          'btoa',
          'crypto',
          'document',
          'fetch',
          'location',
          'history',
          'sessionStorage',
          'URLSearchParams',
          'structuredClone',
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    // The library for the tests of clients, and its example.
    files: ['packages/**/*.js', 'packages/**/*.test.mjs'],
    languageOptions: {
      globals: Object.fromEntries(
        ['URL', 'afterAll', 'beforeAll', 'beforeEach', 'expect', 'fetch', 'process', 'test'].map((name) => [
          name,
          'readonly',
        ]),
      ),
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'console',
          'process',
          'WebAssembly',
          'URL',
          'URLSearchParams',
          'fetch',
          'module',
          'performance',
          'setTimeout',
          'clearTimeout',
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
);
