"""Sends requests as the Ads SDK for Python does: a session of requests-oauthlib for each. A line of JSON is a request."""

import base64
import json
import sys

from requests_oauthlib import OAuth1Session

keys = json.loads(sys.stdin.readline())
for line in sys.stdin:
    asked = json.loads(line)
    session = OAuth1Session(
        keys['consumer_key'],
        client_secret=keys['consumer_secret'],
        resource_owner_key=keys['access_token'],
        resource_owner_secret=keys['access_token_secret'],
    )
    file = asked.get('file')
    answer = session.request(
        asked['method'],
        asked['url'],
        params=asked.get('params'),
        data=asked.get('body'),
        headers={'user-agent': 'twitter-ads version: 11.0.0', **asked.get('headers', {})},
        # without a name of the file
        files={'media': (None, base64.b64decode(file))} if file else None,
    )
    print(json.dumps({'status': answer.status_code, 'text': answer.text}), flush=True)
