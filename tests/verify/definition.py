"""The definition in docs/certificates.md, taken from that page: the block of Python that begins with its docstring."""
import os, re
_page = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../docs/certificates.md'), encoding='utf-8').read()
source = re.search(r'```python\n(.*?)```', _page, re.S)[1]
exec(compile(source, 'docs/certificates.md', 'exec'))
assert len(source.splitlines()) < 100, 'the definition is to stay on one page'
