/** Tags of this domain in the order of the OpenAPI document. */
export const CREATIVES_TAGS: Record<string, string> = {
  'Media upload': 'Uploads of media files. An upload returns a media key.',
  'Media library': 'The images, GIFs and videos that an account keeps.',
  'Account media':
    'In-stream videos and images of the standard sizes. Media of these kinds become account media when they are added to the library.',
  Cards: 'Cards below the text of a post: media with a destination, conversations and polls.',
  'Draft posts': 'Posts that are not published.',
  'Scheduled posts': 'Posts that go live at a scheduled time.',
  Posts: 'Promoted-only and organic posts, and their previews.',
};
