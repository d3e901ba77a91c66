/** The operation groups of this domain, in the order of the OpenAPI document. */
export const ACCOUNTS_TAGS: Record<string, string> = {
  Accounts: 'Ad accounts, what their users may do, and the history of what was done to them.',
  'Account apps': 'The apps that an account advertises.',
  Features: 'Beta and limited features of an account.',
  'Promotable users': 'The users whose posts an account may promote.',
};
