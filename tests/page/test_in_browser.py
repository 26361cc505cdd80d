"""The page in a real browser: what its script does, with the keyboard alone, in both colour schemes, at any width."""

import json

import pytest

pytestmark = pytest.mark.slow

WIDE, NARROW = 1280, 360
SHOWN = "[...document.querySelectorAll('.matrix tbody tr:not([hidden]) th a')].map((a) => a.textContent)"
OPEN = "[...document.querySelectorAll('.details > details[open] .name')].map((name) => name.textContent)"
FOCUSED = """
(() => {
  const at = document.activeElement;
  return at.id || at.textContent.trim();
})()
"""

# Every text that can be seen, with its contrast against the nearest background behind it (WCAG 2.2, relative luminance).
CONTRASTS = """
(() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = (colour) => {
    const linear = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = channels(colour).map((value) => linear(value / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const background = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if ((channels(colour)[3] ?? 1) === 1) return colour;
    }
    throw new Error("no background");
  };
  const found = {};
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || element.closest("script, .unseen") || !element.checkVisibility()) continue;
    const [one, other] = [getComputedStyle(element).color, background(element)].map(luminance);
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    const name = `${element.localName}.${element.className}`;
    found[name] = Math.min(found[name] ?? 21, contrast);
  }
  return found;
})()
"""


@pytest.fixture
def shown(browser, page, desk):
    """The browser with the page of the desk, wide and light."""
    browser.resize(WIDE)
    browser.emulate()
    browser.open(page(desk))
    return browser


def fill(browser, control: str, value: str) -> None:
    browser.run(f"document.getElementById({json.dumps(control)}).focus()")
    if control == "find":
        browser.run("document.activeElement.select()")
        browser.send("Input.insertText", text=value)
    else:
        set_value = f"document.activeElement.value = {json.dumps(value)}"
        browser.run(f"({set_value}, document.activeElement.dispatchEvent(new Event('input', {{bubbles: true}})))")


def test_the_page_asks_for_nothing_and_complains_of_nothing(shown, page, desk) -> None:
    assert shown.requests == [page(desk).as_uri()]
    assert shown.console == []


def test_nothing_that_gets_in_could_act(shown) -> None:
    refused = """
    new Promise((resolve) => {
      const refused = [];
      document.addEventListener("securitypolicyviolation", (event) => {
        refused.push(event.effectiveDirective);
        if (refused.length === 5) resolve(refused.sort());
      });
      const script = document.createElement("script");
      script.textContent = "document.title = 'taken'";
      document.body.append(script);
      document.body.insertAdjacentHTML("beforeend", "<img src='https://example.org/x.png' onerror='document.title = 1'>");
      document.body.insertAdjacentHTML("beforeend", "<p style='color: red'></p>");
      fetch("https://example.org/").catch(() => {});
    })
    """
    assert shown.run(refused) == [
        *("connect-src", "img-src", "script-src-attr", "script-src-elem", "style-src-attr"),
    ]
    assert shown.run("document.title") == "Tool surface default · toolsurface-lint"


def test_hostile_texts(browser, page, hostile) -> None:
    browser.resize(NARROW)
    browser.emulate()
    browser.open(page(hostile))
    browser.run("document.getElementById('open')?.click()")
    assert browser.run("document.title").startswith("Tool surface ")
    assert browser.run("document.querySelectorAll('main img, main svg, main script, main b').length") == 0
    assert browser.requests == [page(hostile).as_uri()]
    assert browser.console == []
    assert browser.run("document.documentElement.scrollWidth") == NARROW
    assert "</script><img src=x onerror=" in browser.run("document.querySelector('.matrix tbody a').textContent")


def test_the_filter(shown) -> None:
    everything = shown.run(SHOWN)
    assert len(everything) == 6
    assert shown.run("document.getElementById('shown').textContent") == ""
    fill(shown, "find", "MAIL network")
    assert shown.run(SHOWN) == ["send_mail"]
    assert shown.run("document.getElementById('shown').textContent") == "1 of 6 tools"
    assert shown.run("document.querySelectorAll('.details > details:not([hidden])').length") == 1
    fill(shown, "find", "nothing like it")
    assert shown.run(SHOWN) == []
    assert shown.run("document.querySelector('section.surface').checkVisibility()") is False
    fill(shown, "find", "")
    fill(shown, "outcome", "denied")
    assert shown.run(SHOWN) == ["drop_notes"]
    fill(shown, "outcome", "")
    fill(shown, "severity", "error")
    assert shown.run(SHOWN) == ["send_mail"]
    assert shown.run(
        "[...document.querySelectorAll('.finding:not([hidden])')].map((item) => item.dataset.severity)"
    ) == ["error"]
    fill(shown, "severity", "")
    assert shown.run(SHOWN) == everything


HEADINGS = (
    "[...document.querySelectorAll('main :is(h2, h3)')].filter((h) => h.checkVisibility()).map((h) => h.textContent)"
)
LISTED = (
    "[...document.querySelectorAll('nav li')].filter((li) => li.checkVisibility()).map((li) => li.textContent.trim())"
)


def test_what_the_filter_leaves_empty_is_hidden_with_its_heading(browser, page) -> None:
    """Parts, surfaces, their links, and the findings outside of them. Surfaces with tools come first."""
    tool = '[{"name": "%s", "description": "Do it.", "input_schema": {"type": "object", "properties": {%s}}}]'
    files = {
        "a/system.md": "Call `read_note({})`.\n",
        "b/tools.json": tool % ("read_note", ""),
        "c/tools.json": tool % ("send_mail", '"to": {"type": "strin"}'),
        "d/tools.json": '[{"name": ',
        "toolsurface.toml": "".join(
            f'[[surface]]\nname = "{name}"\n{key} = "{name}/*"\n'
            for name, key in (("a", "prompts"), ("b", "tools"), ("c", "tools"))
        ),
    }
    browser.resize(WIDE)
    browser.emulate()
    browser.open(page(files))
    whole = browser.run(HEADINGS)
    assert whole == [
        *("b", "Tools 1", "Tools in detail"),
        *("c", "Tools 1", "Findings 1", "Tools in detail"),
        *("aopen", "Prompts, templates and transcripts 1"),
        "Findings outside of the surfaces",
    ]
    assert browser.run(LISTED) == ["b 1 tool", "c 1 tool error", "a 0 tools"]
    fill(browser, "find", "strin")
    assert browser.run(HEADINGS) == ["c", "Tools 1", "Findings 1", "Tools in detail"]
    assert browser.run(LISTED) == ["c 1 tool error"]
    fill(browser, "find", "expected")
    assert browser.run(HEADINGS) == ["Findings outside of the surfaces"]
    fill(browser, "find", "note")
    assert browser.run(HEADINGS) == ["b", "Tools 1", "Tools in detail"]
    fill(browser, "find", "")
    assert browser.run(HEADINGS) == whole


def test_sorting(shown) -> None:
    declared = shown.run(SHOWN)

    def click(title: str) -> list[str]:
        shown.run(f"[...document.querySelectorAll('thead button')].find((b) => b.textContent === '{title}').click()")
        return shown.run(SHOWN)

    def sorted_by() -> list[str]:
        heads = "[...document.querySelectorAll('.matrix th[aria-sort]')]"
        return shown.run(f"{heads}.map((head) => `${{head.textContent}} ${{head.getAttribute('aria-sort')}}`)")

    assert click("Tool") == sorted(declared)
    assert sorted_by() == ["Tool ascending"]
    assert click("Tool") == sorted(declared, reverse=True)
    assert click("Tool") == declared
    assert sorted_by() == []
    assert click("Findings")[:2] == ["send_mail", "run_report"]
    assert sorted_by() == ["Findings descending"]
    assert click("Prompts")[0] == "read_note"
    assert click("Approval")[-1] == "drop_notes"
    assert sorted_by() == ["Approval ascending"]


def test_the_keyboard_alone(shown) -> None:
    seen = []
    for _ in range(15):
        shown.press("Tab")
        seen.append(shown.run(FOCUSED))
        outline = shown.run(
            "(({outlineStyle, outlineWidth}) => [outlineStyle, outlineWidth])(getComputedStyle(document.activeElement))"
        )
        assert outline == ["solid", "2px"], seen
    assert seen[:5] == ["Skip to the surfaces", "find", "outcome", "severity", "open"]
    assert seen[5:14] == [
        *("Tool", "Kind", "Side effects", "Policy", "Approval", "Prompts", "Transcripts", "Tokens", "Findings"),
    ]
    assert seen[14] == "read_note"
    shown.press("Enter")
    shown.run("new Promise(requestAnimationFrame)")
    assert shown.run(OPEN) == ["read_note"]
    assert shown.run("document.activeElement.localName") == "summary"
    shown.press("Enter")
    assert shown.run(OPEN) == []
    shown.press(" ")
    assert shown.run(OPEN) == ["read_note"]


def test_the_skip_link(shown) -> None:
    shown.press("Tab")
    assert shown.run("document.activeElement.getBoundingClientRect().top >= 0") is True
    shown.press("Enter")
    assert shown.run("document.activeElement.id") == "main"


def test_links_of_findings_and_a_fragment_open_what_they_lead_to(shown, page, desk) -> None:
    shown.open(page(desk), "#surface-1-tool-3")
    assert shown.run(OPEN) == ["send_mail"]
    shown.run("document.querySelector('.details > details[open] .plain a').click()")
    assert shown.run("document.querySelector(':target').className") == "finding error"
    # The bar that stays at the top must not hide it.
    hidden = (
        "document.querySelector(':target').getBoundingClientRect().top < document.getElementById('filter').offsetHeight"
    )
    assert shown.run(hidden) is False


def test_all_tools_open_for_reading_and_for_print(shown) -> None:
    shown.run("document.getElementById('open').click()")
    assert len(shown.run(OPEN)) == 6
    assert shown.run("document.getElementById('open').ariaPressed") == "true"
    shown.run("document.getElementById('open').click()")
    assert shown.run(OPEN) == []
    shown.run("dispatchEvent(new Event('beforeprint'))")
    assert len(shown.run(OPEN)) == 6
    shown.emulate(scheme="dark", media="print")
    assert shown.run("document.getElementById('filter').checkVisibility()") is False
    assert shown.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    shown.run("dispatchEvent(new Event('afterprint'))")
    assert shown.run(OPEN) == []


def test_without_script_everything_can_be_read(browser, page, desk) -> None:
    browser.resize(WIDE)
    browser.emulate()
    with browser.without_script():
        browser.open(page(desk), "#surface-1-tool-2")
        # What is asked here runs outside of the page's own script.
        assert browser.run(OPEN) == ["write_note"]
        assert browser.run("document.getElementById('filter').checkVisibility()") is False
        assert browser.run("document.querySelectorAll('thead button').length") == 0
        assert len(browser.run(SHOWN)) == 6


@pytest.mark.parametrize("width", [NARROW, 768, 1089, WIDE])
def test_nothing_is_wider_than_the_window(browser, page, desk, width) -> None:
    browser.resize(width)
    browser.emulate()
    browser.open(page(desk))
    browser.run("document.getElementById('open').click()")
    assert browser.run("document.documentElement.scrollWidth") == width
    right = "(selector) => document.querySelector(selector).getBoundingClientRect().right"
    assert browser.run(f"({right})('.matrix') <= ({right})('main')") is True


@pytest.mark.parametrize("width", [NARROW, WIDE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out_from_what_is_behind_them(browser, page, desk, scheme, width) -> None:
    browser.resize(width)
    browser.emulate(scheme=scheme)
    browser.open(page(desk))
    browser.run("(document.getElementById('open').click(), document.querySelector('.aside').open = true)")
    light = browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(251, 250, 248)"
    assert light is (scheme == "light")
    contrasts = browser.run(CONTRASTS)
    assert len(contrasts) > 20
    assert {name: contrast for name, contrast in contrasts.items() if contrast < 4.5} == {}


def test_what_assistive_technology_is_told(shown) -> None:
    shown.send("Accessibility.enable")
    nodes = [node for node in shown.send("Accessibility.getFullAXTree")["nodes"] if not node["ignored"]]
    shown.send("Accessibility.disable")
    roles: dict[str, list[str]] = {}
    for node in nodes:
        roles.setdefault(node["role"]["value"], []).append(node.get("name", {}).get("value", ""))
    assert {"banner", "search", "main", "contentinfo", "region"} <= roles.keys()
    assert len(roles["main"]) == 1
    assert "Tools of default" in roles["table"]
    assert roles["columnheader"][:2] == ["Tool", "Kind"]
    assert "read_note" in roles["rowheader"]
    for role in ("button", "link", "searchbox", "combobox", "DisclosureTriangle", "heading", "table", "region"):
        assert [name for name in roles.get(role, []) if not name.strip()] == [], role


def test_a_narrow_page_keeps_its_tables(browser, page, desk) -> None:
    browser.resize(NARROW)
    browser.emulate()
    browser.open(page(desk))
    browser.send("Accessibility.enable")
    nodes = browser.send("Accessibility.getFullAXTree")["nodes"]
    browser.send("Accessibility.disable")
    roles = {node["role"]["value"] for node in nodes if not node["ignored"]}
    assert {"table", "row", "rowheader", "columnheader", "cell"} <= roles
