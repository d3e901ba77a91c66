import { ApiProperty } from '@nestjs/swagger';
import { DECIMAL_ID, Unescaped } from '../../common/http/answers/responses.js';
import { FRAME_WIDTH, heightOf } from './preview-frame.rules.js';
import type { ShownPost } from './preview-post.rules.js';

export class PostPreviewView {
  /** The post. */
  @ApiProperty(DECIMAL_ID) @Unescaped() post_id: string;
  /** HTML to be set into a page: a frame that shows the post as it is whenever it is opened, for 24 hours. */
  @ApiProperty({
    example:
      "<iframe class='post-preview' src='https://ads.example/previews/…' title='Preview of a post of @handle' width='550' height='420' loading='lazy' …></iframe>",
  })
  preview: string;
}

/** What the frame may do: open what somebody clicks on in a window of its own, and no more. */
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
