import { ApiProperty } from '@nestjs/swagger';
import { DECIMAL_ID, Unescaped } from '../../common/http/answers/responses.js';
import { FRAME_WIDTH, heightOf } from './preview-frame.rules.js';
import type { ShownPost } from './preview-post.rules.js';

export class PostPreviewView {
  /** Id of the post. */
  @ApiProperty(DECIMAL_ID) @Unescaped() post_id: string;
  /** HTML to embed: an iframe that shows the current state of the post, valid for 24 hours. */
  @ApiProperty({
    example:
      "<iframe class='post-preview' src='https://ads.example/previews/…' title='Preview of a post of @handle' width='550' height='420' loading='lazy' …></iframe>",
  })
  preview: string;
}

/** Permissions of the iframe: it may open clicked links in new windows and nothing else. */
const SANDBOX = 'allow-popups allow-popups-to-escape-sandbox';

export const presentPostPreview = (post: ShownPost, url: string): PostPreviewView => ({
  post_id: post.id,
  preview:
    `<iframe class='post-preview' src='${attribute(url)}' title='${attribute(`Preview of a post of @${post.author.handle}`)}'` +
    ` width='${FRAME_WIDTH}' height='${heightOf(post)}' style='max-width:100%' loading='lazy' sandbox='${SANDBOX}' referrerpolicy='no-referrer'` +
    ` frameborder='0' allowfullscreen></iframe>`,
});

const attribute = (text: string) =>
  text.replace(/&/g, '&amp;').replace(/'/g, '&#39;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
