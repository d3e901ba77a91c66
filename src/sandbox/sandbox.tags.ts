/** The groups of operations of this domain, in the order in which the document shows them. */
export const SANDBOX_TAGS: Record<string, string> = {
  Sandbox: 'Writes that exist in the sandbox only, to set a scene for tests.',
};
