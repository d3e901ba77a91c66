/** The groups of operations of this domain, in the order of the OpenAPI document. */
export const WORKBENCH_TAGS: Record<string, string> = {
  Workbench:
    'Tools for the tests of integrators. The owner of an application signs these requests and sees only what concerns the application. The page `/workbench` shows the same in a browser.',
};
