"""Suites as Debian's python3-selenium runs them: a form is filled in and sent, and KCalc computes."""

import subprocess
import sys

from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.common.options import ArgOptions
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE = 90  # seconds: a busy machine may take long


class Desktop(ArgOptions):
    default_capabilities = {"platformName": "linux"}

    def to_capabilities(self):
        return self._caps


def session(url, app):
    options = Desktop()
    options.set_capability("appium:app", app)
    return webdriver.Remote(command_executor=url, options=options)


def form(url):
    driver = session(url, "zenity --forms --title Ask --add-entry Name --add-password Secret --add-entry City")
    try:
        assert driver.title == "Ask", driver.title
        fields = driver.find_elements(By.CSS_SELECTOR, "text")
        assert len(fields) == 2, fields
        fields.sort(key=lambda field: field.rect["y"])
        fields[0].send_keys("Ada ", Keys.SHIFT, "l")
        assert fields[0].text == "Ada L", fields[0].text
        fields[0].send_keys(" 😀")
        assert fields[0].text == "Ada L 😀", fields[0].text
        fields[1].send_keys("Bonn")
        fields[1].clear()
        assert fields[1].text == "", fields[1].text
        fields[1].send_keys("Köln")
        fields[1].clear()
        fields[1].send_keys(__file__)
        assert fields[1].text == __file__, fields[1].text
        secret = driver.find_element(By.TAG_NAME, "password_text")
        secret.send_keys("geheim")
        assert secret.text == "", secret.text
        assert "geheim" not in driver.page_source
        ok = WebDriverWait(driver, PATIENCE).until(lambda d: d.find_element(By.NAME, "OK"))
        assert ok.is_displayed() and ok.is_enabled() and ok.get_attribute("focusable") == "true"
        assert ok.tag_name == "button" and ok.aria_role == "button" and ok.accessible_name == "OK"
        assert driver.find_element(By.XPATH, "//push_button[@name='OK']") == ok
        assert len(ok.screenshot_as_png) > 100
        print("form", flush=True)
        ok.click()
    finally:
        driver.quit()


def calculator(url):
    driver = session(url, "kcalc")
    try:
        seven = driver.find_element(By.NAME, "7")
        for _ in range(3):
            seven.click()
        ActionChains(driver).send_keys("+8").send_keys(Keys.ENTER).perform()
        result = driver.find_element(By.XPATH, "//*[@description='Result Display']")
        WebDriverWait(driver, PATIENCE).until(lambda d: result.text == "785")
        ActionChains(driver).move_to_element(seven).click().perform()
        WebDriverWait(driver, PATIENCE).until(lambda d: result.text == "7")
        try:
            driver.find_element(By.NAME, "Eight")
            raise AssertionError("found what is not there")
        except NoSuchElementException as error:
            assert "Eight" in error.msg, error.msg
        before = driver.get_window_rect()
        driver.set_window_rect(width=before["width"] + 40, height=before["height"] + 30)
        assert driver.get_window_rect()["width"] == before["width"] + 40
        assert driver.window_handles == [driver.current_window_handle]
        assert driver.execute_script("deskhand: position")["x"] > 0
        print("calculator", flush=True)
    finally:
        driver.quit()


class Appium(webdriver.Remote):
    """Sends each strategy unchanged, as Appium's client does; Selenium's own sends most as CSS."""

    def find_element(self, by, value):
        return self.execute("findElement", {"using": by, "value": value})["value"]

    def find_elements(self, by, value):
        return self.execute("findElements", {"using": by, "value": value})["value"]


def kde(url):
    """KCalc's own test, in the form that KDE's suites share (kcalc/appiumtests)."""
    options = Desktop()
    options.set_capability("appium:app", "org.kde.kcalc.desktop")
    options.set_capability("timeouts", {"implicit": 10000})
    options.set_capability("appium:environ", {"LC_ALL": "en_US.UTF-8", "QT_LOGGING_RULES": "kf.*=false"})
    driver = Appium(command_executor=url, options=options)

    def result():
        return driver.find_element("description", "Result Display").text

    def press(*names):
        for name in names:
            driver.find_element("class name", f"[push button | {name}]").click()

    try:
        press("AC")
        WebDriverWait(driver, PATIENCE).until(lambda _: result() == "0")
        press("7", "×", "9", "+", "1", "=", "÷", "8", "=")
        WebDriverWait(driver, PATIENCE).until(lambda _: result() == "8")
        eight = driver.find_element("class name", "[push button | 8]")
        assert "showing" in eight.get_attribute("states").split(", "), eight.get_attribute("states")
        assert driver.find_elements("xpath", "//button[@name='8' and contains(@states, 'enabled')]") == [eight]
        menu = driver.find_element("xpath", "//menu_bar/menu_item[starts-with(@name, 'Sett')]")
        assert menu.tag_name == "menu_item" and menu.is_displayed()
        assert driver.find_element("accessibility id", "=").tag_name == "button"
        assert len(driver.get_screenshot_as_png()) > 1000
        print("kde", flush=True)
    finally:
        driver.quit()


def opencloud(url):
    """The form of OpenCloud's suite: other tools click at the positions that the driver reports (pyautogui there)."""
    options = Desktop()
    options.set_capability("appium:app", "kcalc")
    options.set_capability("appium:environ", {"LC_ALL": "C.UTF-8"})
    driver = Appium(command_executor=url, options=options)
    try:
        driver.implicitly_wait(10)
        five = driver.find_element("name", "5")
        rect = five.rect
        x, y = rect["x"] + rect["width"] // 2, rect["y"] + rect["height"] // 2
        subprocess.run(["xdotool", "mousemove", str(x), str(y), "click", "--repeat", "2", "1"], check=True)
        display = driver.find_element("description", "Result Display")
        WebDriverWait(driver, PATIENCE).until(lambda _: display.text == "55")
        assert driver.find_element("xpath", "//*[@name='5']").get_attribute("checked") == "false"
        print("opencloud", flush=True)
    finally:
        driver.quit()


SUITES = {"form": form, "calculator": calculator, "kde": kde, "opencloud": opencloud}
SUITES[sys.argv[2]](sys.argv[1])
