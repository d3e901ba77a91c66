/** The groups of operations of this domain, in the order of the OpenAPI document. */
export const SANDBOX_TAGS: Record<string, string> = {
  Sandbox: 'Writes that exist only in the sandbox, to prepare tests.',
};
