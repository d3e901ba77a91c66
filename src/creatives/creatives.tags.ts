/** Tags of this domain in the order of the OpenAPI document. */
export const CREATIVES_TAGS: Record<string, string> = {
  'Media upload': 'Bytes come in, and a media key comes out.',
  'Media library': 'The images, GIFs and videos that an account keeps.',
  'Account media':
    'In-stream videos, and images of the standard sizes: they become these by being added to the library.',
  Cards: 'What a post shows below its text: media that lead somewhere, conversations, polls.',
  'Draft posts': 'Posts that are not published.',
  'Scheduled posts': 'Posts that go live at their minute.',
  Posts: 'Posts, promoted-only and organic, and what they look like.',
};
