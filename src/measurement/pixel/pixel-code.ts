import { Injectable } from '@nestjs/common';
import { Config, withoutSlash } from '../../config/config.js';
import { pixelIdOf } from '../entities/pixel-id.js';
import type { WebEventType } from '../entities/web-event-tag.entity.js';

/** Where the script of the pixel is, below the public URL. */
export const PIXEL_SCRIPT = 'pixel.js';

/** What a web page contains to send an event: the loader of the script, and the call that reports the event. */
@Injectable()
export class PixelCode {
  private readonly script: string;

  constructor(config: Config) {
    this.script = `${withoutSlash(config.baseUrl)}/${PIXEL_SCRIPT}`;
  }

  /** The code of a tag. Calls that come before the script wait in a queue; a second loader does nothing. */
  of({ id, accountId, type }: { id: string; accountId: string; type: WebEventType }): string {
    const pixel = pixelIdOf(accountId);
    return `<!-- ${type}: event id tw-${pixel}-${id} -->
<script>
!function(w,d,q,s){w.twq||(q=w.twq=function(){q.exe?q.exe.apply(q,arguments):q.queue.push(arguments)},q.queue=[],
s=d.createElement('script'),s.async=!0,s.src='${this.script}',d.head.appendChild(s))}(window,document);
twq('config','${pixel}');
twq('event','tw-${pixel}-${id}',{
  // value: '20.00', currency: 'USD', conversion_id: 'order-4711', email_address: '', phone_number: '', contents: []
});
</script>`;
  }
}
